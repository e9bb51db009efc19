import { lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import type { Inspection, Workspace } from '../../../src/ports.ts';
import {
  allFiles,
  anAttempt,
  copyLab,
  keptBytes,
  makeLab,
  photograph,
  planBefore,
  planTicked,
  someRules,
} from '../../support/git-lab.ts';
import type { Lab, Picture } from '../../support/git-lab.ts';
import { misdeeds, storyOf } from '../../../src/drill/misdeeds.ts';
import type { Story } from '../../../src/drill/misdeeds.ts';

/** `SEED=7 npx vitest run random-misdeeds` tells one story again, `SEED=7,8` two. */
const { SEED: onlySeed, NIGHTLY: nightly } = process.env;
const count = nightly === undefined ? misdeeds.length : 500;
const seeds =
  onlySeed === undefined
    ? Array.from({ length: count }, (_, i) => i + 1)
    : onlySeed.split(',').map(Number);
const rules = someRules({ protect: ['tests/**'], maxFile: 2_000_000 });
const again = { ...anAttempt, number: 2 };
const judges = ['gates', 'tests', '.skeleton', '.skeleton.yml'];
const ignored = ['.env', 'debug.log', 'src/deep/d.log'];

let template: Lab;
beforeAll(() => {
  template = makeTinyLab();
});
afterAll(() => {
  template.remove();
});

function makeTinyLab(): Lab {
  const lab = makeLab();
  const { git, write, sh } = lab;
  git('init', '-q', '-b', 'main');
  write('PLAN.md', planBefore);
  write('README.md', 'hello\n');
  write('src/a.txt', 'a\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('branch', 'other');
  write('src/deep/b.txt', 'b\n');
  write('tool.sh', '#!/bin/sh\nexit 0\n', 0o755);
  write('gates/check.sh', '#!/bin/sh\nexit 0\n', 0o755);
  write('tests/t.sh', 'exit 0\n');
  write('.gitignore', '.env\n*.log\n');
  sh('ln -s src/a.txt link; mkdir -p empty/inner; chmod 700 src/deep');
  git('add', '-A');
  git('commit', '-qm', 'second');
  git('tag', 'v1');
  git('tag', '-a', 'v2', '-m', 'annotated');
  sh('echo stashed > README.md; git stash push -q -m mine');
  write('.env', 'TOKEN=1\n', 0o600);
  write('debug.log', 'log\n');
  write('src/deep/d.log', 'deep log\n');
  return lab;
}

describe(`${seeds.length} agents of random misdeeds (${misdeeds.length} kinds)`, () => {
  test.each(seeds)('seed %i', async (seed) => {
    const story = storyOf(seed);
    const lab = copyLab(template);
    try {
      await tell(lab, story);
    } catch (error) {
      const how = `inspected: ${story.isInspected}, new process: ${story.isNewProcess}`;
      throw new Error(`SEED=${seed} (${how})\n${story.scripts.join('\n')}\n${String(error)}`, {
        cause: error,
      });
    } finally {
      lab.remove();
    }
  });
});

async function tell(lab: Lab, { scripts, isInspected, isNewProcess }: Story): Promise<void> {
  const workspace = await openWorkspace({ cwd: lab.top });
  const before = photograph(lab);
  const base = await workspace.begin(anAttempt, rules);
  for (const script of scripts) lab.attempt(script);
  lab.sh('rm -f ../ran');
  const left = allFiles(lab);
  if (isInspected) await inspectHonestly(lab, workspace);
  const last = isNewProcess ? await openWorkspace({ cwd: lab.top }) : workspace;
  const { snapshot } = await last.rollBack(anAttempt);
  expectSame(lab, before);
  expect(lostFiles(lab, left, snapshot.ref)).toEqual([]);
  expect(lab.git('rev-parse', `${snapshot.ref}^1`)).toBe(`${base}\n`);
  expectWhole(lab);
  await passAgain(lab);
  expectWhole(lab);
  expect(lab.sh('test -e ../ran && echo ran || true'), 'hooks that our git ran').toBe('');
}

/** Nobody passes whose gates, plan or protected files are not those of where the attempt began. */
async function inspectHonestly(lab: Lab, workspace: Workspace): Promise<void> {
  const head = template.git('rev-parse', 'HEAD');
  const mustRefuse = tampered(lab);
  const seen = await workspace.inspect(anAttempt, rules);
  if (mustRefuse.length > 0) expect([mustRefuse, seen.kind]).toEqual([mustRefuse, 'refused']);
  if (seen.kind === 'candidate') expectHonest(lab, seen);
  expect(lab.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
  expect(lab.git('rev-parse', 'HEAD')).toBe(head);
}

type Candidate = Extract<Inspection, { kind: 'candidate' }>;

function expectHonest(lab: Lab, { tree }: Candidate): void {
  const judging = ['ls-tree', '-r', tree, '--', ...judges];
  expect(lab.git(...judging)).toBe(template.git(...judging.with(2, 'HEAD')));
  expect(lab.git('cat-file', 'blob', `${tree}:PLAN.md`)).toBe(planTicked);
  expect(lab.read('PLAN.md')).toBe(planTicked);
  expect(lab.git('ls-tree', '-r', tree)).not.toMatch(/^160000 /m);
  expect(lab.git('ls-tree', '-r', '--name-only', tree, '--', ...ignored)).toBe('');
  const list = 'find gates tests .skeleton* 2>/dev/null | sort';
  expect(lab.sh(list)).toBe(template.sh(list));
}

/** Of the files that judge, those that are no longer what they were, as a plain look at the disk tells. */
function tampered(lab: Lab): readonly string[] {
  const modes = { 'gates/check.sh': 0o7777, 'tests/t.sh': 0o100, 'PLAN.md': 0 };
  return Object.entries(modes)
    .filter(([path, bits]) => lookAt(lab, path, bits) !== lookAt(template, path, bits))
    .map(([path]) => path);
}

function lookAt(lab: Lab, path: string, bits: number): string {
  const folder = lstatSync(lab.path(dirname(path)), { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true) return 'no folder';
  const stat = lstatSync(lab.path(path), { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return 'no file';
  const bytes = readFileSync(lab.path(path), 'latin1');
  return `${stat.mode & bits} ${path === 'PLAN.md' ? unmarked(bytes) : bytes}`;
}

/** Everything of the user's as it was; what the agent made and git ignored all along may stay. */
function expectSame(lab: Lab, before: Picture): void {
  const now = photograph(lab);
  const made = Object.keys(now).filter((name) => !(name in before));
  const paths = made.filter((name) => !/^(?:common|git):/.test(name));
  const staying = paths.filter((path) => /(?:^|\/)(?:\.env|[^/]*\.log)(?:\/|$)/.test(path));
  const isStaying = (name: string): boolean =>
    staying.some((path) => path === name || path.startsWith(`${name}/`));
  const rest = Object.entries(now).filter(([name]) => name in before || !isStaying(name));
  expect(withoutIgnored(Object.fromEntries(rest))).toEqual(withoutIgnored(before));
}

function withoutIgnored(picture: Picture): Picture {
  return { ...picture, status: (picture['status'] ?? '').replace(/^!! .*\n/gm, '') };
}

/** Marks in the plan alone are put back, neither punished nor kept. */
function unmarked(plan: string): string {
  return plan.replaceAll('[x]', '[ ]');
}

/** Files of the agent that are neither where it left them, nor in the snapshot, nor in quarantine. */
function lostFiles(lab: Lab, left: ReadonlyMap<string, string>, ref: string): readonly string[] {
  const kept = keptBytes(lab, ref);
  const now = allFiles(lab);
  const isKept = (bytes: string): boolean => kept.has(bytes) || unmarked(bytes) === planBefore;
  return [...left]
    .filter(([path, bytes]) => now.get(path) !== bytes && !isKept(bytes))
    .map(([path]) => path);
}

/** Refs alone hold every object of every snapshot: what only a reflog or nothing holds is pruned first. */
function expectWhole(lab: Lab): void {
  lab.git('prune', '--expire=now');
  const refs = lab.git('for-each-ref', '--format=%(refname)', 'refs/skeleton/attempts/').trim();
  expect(refs).not.toBe('');
  for (const ref of refs.split('\n')) lab.git('rev-list', '--objects', '--quiet', ref);
  expect(lab.git('fsck', '--no-dangling', '--no-progress', '--no-reflogs')).toBe('');
}

/** The next attempt begins where this one began, and passes. */
async function passAgain(lab: Lab): Promise<void> {
  const workspace = await openWorkspace({ cwd: lab.top });
  const base = await workspace.begin(again, rules);
  lab.write('feature.txt', 'done\n');
  const seen = await workspace.inspect(again, rules);
  if (seen.kind !== 'candidate') throw new Error(`refused: ${JSON.stringify(seen)}`);
  expectHonest(lab, seen);
  expect(seen.changed).toEqual([{ path: 'feature.txt', status: 'A' }]);
  expect(await workspace.settle(again, seen.tree)).toBeUndefined();
  const message = { subject: 'One', body: '', trailers: [] };
  const commit = await workspace.commitObject(seen.tree, base, message);
  const proofObject = await workspace.proofObject(commit, 'skeleton/plan/0001', '{}');
  const [tag, proof] = ['refs/tags/skeleton/plan/0001-one', 'refs/skeleton/proof/plan/0001'];
  await workspace.checkpoint(again, { commit, base, tag, proof, proofObject });
  expect(lab.git('rev-parse', 'HEAD', tag)).toBe(`${commit}\n${commit}\n`);
  expect(lab.git('status', '--porcelain')).toBe('');
  await workspace.end(again);
}
