import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Picture } from '../../src/core/drill.ts';
import { reflogMark } from '../../src/core/refs.ts';
import { pictureOf, questions } from '../../src/drill/picture.ts';
import type { AttemptId, AttemptRules } from '../../src/ports.ts';

export const planBefore = '# Plan\n\n- [ ] One\n- [ ] Two\n';
export const planTicked = '# Plan\n\n- [x] One\n- [ ] Two\n';

/** A repository of its own, with tracked, ignored and odd files, an empty folder, two branches, a tag and a stash. */
export interface Lab {
  readonly top: string;
  /** Runs git as a person or an agent would; gives what it prints. */
  readonly git: (...args: readonly string[]) => string;
  /** Runs a shell script in the work tree, as an agent whose commits are marked. */
  readonly sh: (script: string) => string;
  /** As sh, as far as it gets; ended after 10 s, because a git may wait at a FIFO for ever. */
  readonly attempt: (script: string) => void;
  /** Resolves when the script is over. */
  readonly inBackground: (script: string) => Promise<unknown>;
  readonly write: (path: string, content: string | Uint8Array, mode?: number) => void;
  readonly read: (path: string) => string;
  readonly path: (path: string) => string;
  readonly remove: () => void;
}

export function makeLab(): Lab {
  const folder = newFolder();
  mkdirSync(join(folder, 'repo'));
  return openLab(folder);
}

/** A copy of a lab, with everything as it is there. */
export function copyLab({ top }: Lab): Lab {
  const folder = newFolder();
  execFileSync('cp', ['-a', top, join(folder, 'repo')]);
  return openLab(folder);
}

function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'git lab ')));
}

function openLab(folder: string): Lab {
  const top = join(folder, 'repo');
  const path = (name: string): string => join(top, name);
  const run = (file: string, args: readonly string[], env = process.env): string =>
    execFileSync(file, args, {
      cwd: top,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    top,
    path,
    git: (...args) => run('git', args),
    sh: (script) => run('bash', ['-ec', script], asAgent()),
    attempt: (script) => {
      const limited = ['--kill-after=1', '10', 'bash', '-c', script];
      spawnSync('timeout', limited, { cwd: top, env: asAgent(), stdio: 'ignore' });
    },
    inBackground: (script) =>
      once(spawn('bash', ['-ec', script], { cwd: top, stdio: 'ignore' }), 'exit'),
    write: (name, content, mode = 0o644) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      chmodSync(path(name), mode);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    remove: () => {
      execFileSync('chmod', ['-R', 'u+rwX', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function asAgent(): NodeJS.ProcessEnv {
  return { ...process.env, GIT_REFLOG_ACTION: reflogMark };
}

/** As makeLab, with something of everything in it. */
export function makeFurnishedLab(): Lab {
  const lab = makeLab();
  const { git, write, sh } = lab;
  git('init', '-q', '-b', 'main');
  write('PLAN.md', planBefore);
  write('README.md', 'hello\n');
  write('src/a.txt', 'a\n');
  write('src/deep/b.txt', 'b\n');
  write('tool.sh', '#!/bin/sh\nexit 0\n', 0o755);
  write('private.key', 'secret\n', 0o600);
  write('gates/check.sh', '#!/bin/sh\nexit 0\n', 0o755);
  write('tests/t.sh', 'exit 0\n');
  write('.gitignore', '.env\n*.log\nnode_modules/\n/big.bin\n');
  sh(`printf x > "$(printf 'caf\\xe9.txt')"; printf y > 'line
break.txt'; ln -s src/a.txt link; ln -s /nonexistent dangling; chmod 700 src/deep`);
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('tag', 'v1');
  git('tag', '-a', 'v2', '-m', 'annotated');
  git('branch', 'other');
  sh(`git checkout -q -b feature; echo f > feature.txt; git add -A; git commit -qm feature; git checkout -q main
      echo stashed > README.md; git stash push -q -m mine; echo again > README.md; git stash push -q -m second`);
  write('.env', 'TOKEN=1\n', 0o600);
  write('debug.log', 'log\n');
  write('src/deep/d.log', 'deep log\n');
  write('node_modules/x/index.js', 'module\n');
  write('big.bin', Buffer.alloc(2 ** 20 + 1, 7));
  sh('mkdir -p empty/inner logs; echo l > logs/only.log');
  return lab;
}

export const anAttempt: AttemptId = { plan: 'plan', task: 'one', id: 'one', number: 1 };

export function someRules(overrides: Partial<AttemptRules> = {}): AttemptRules {
  const unmarked = (bytes: Uint8Array): string =>
    Buffer.from(bytes).toString('latin1').replaceAll('[x]', '[ ]');
  return {
    plan: {
      path: 'PLAN.md',
      before: Buffer.from(planBefore),
      ticked: Buffer.from(planTicked),
      differsInMarksOnly: (before, now) => unmarked(before) === unmarked(now),
    },
    protect: [],
    protectNew: true,
    judges: [],
    keepCommits: false,
    mayChange: [],
    allowEmpty: false,
    maxFile: 50 * 2 ** 20,
    ...overrides,
  };
}

export type { Picture };

/** Everything a rollback must give back, as the drill looks at it. */
export function photograph(lab: Pick<Lab, 'top' | 'git'>): Picture {
  const { gitDir, commonDir, refs, stash, index, status } = questions;
  return pictureOf(lab.top, {
    gitDir: lab.git(...gitDir),
    commonDir: lab.git(...commonDir),
    refs: lab.git(...refs),
    stash: lab.git(...stash),
    index: lab.git(...index),
    status: lab.git(...status),
  });
}

/** All files in the quarantine and in the snapshot's tree, by their bytes. */
export function keptBytes(lab: Lab, ref: string): ReadonlySet<string> {
  const kept = new Set<string>();
  const quarantine = join(lab.top, '.git/skeleton/quarantine');
  for (const path of lab.sh(`find '${quarantine}' -type f -print0 2>/dev/null || true`).split('\0'))
    if (path !== '') kept.add(readFileSync(Buffer.from(path)).toString('latin1'));
  const list = lab.git('ls-tree', '-r', '--format=%(objecttype) %(objectname)', ref);
  const ids = [...list.matchAll(/^blob (.+)$/gm)].map(([, id = '']) => id);
  for (const bytes of blobs(lab, ids)) kept.add(bytes);
  return kept;
}

/** Asked of one git: a process for each would take most of the time of a test. */
function blobs({ top }: Lab, ids: readonly string[]): readonly string[] {
  const options = { cwd: top, input: ids.map((id) => `${id}\n`).join(''), maxBuffer: 2 ** 30 };
  const output = execFileSync('git', ['cat-file', '--batch'], options).toString('latin1');
  const contents: string[] = [];
  for (let at = 0; at < output.length;) {
    const start = output.indexOf('\n', at) + 1;
    const size = Number(/ blob (\d+)$/.exec(output.slice(at, start - 1))?.[1]);
    if (Number.isNaN(size)) throw new Error(output.slice(at, start));
    contents.push(output.slice(start, start + size));
    at = start + size + 1;
  }
  return contents;
}

/** Bytes of every regular file outside of .git. */
export function allFiles(lab: Lab): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(latin1(folder), { withFileTypes: true, encoding: 'latin1' })) {
      const path = `${folder}/${entry.name}`;
      if (entry.name === '.git') continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) files.set(path, readFileSync(latin1(path)).toString('latin1'));
    }
  };
  walk(Buffer.from(lab.top).toString('latin1'));
  return files;
}

function latin1(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}
