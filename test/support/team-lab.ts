/** Machines that work on one plan: a real PostgreSQL, a bare remote, a clone each, and the built command in a process group of its own. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Event, Recorded } from '../../src/core/events.ts';
import { processesIn } from './processes-in.ts';
import { skeleton, type Ended } from './user-repository.ts';

export interface TeamTask {
  readonly id: string;
  /** Undefined: none, and not the one before it either. */
  readonly needs?: readonly string[];
  /** What the agent does beside its own file, `ID.txt`: shell, in the work tree. */
  readonly edits?: string;
  readonly attempts?: number;
  /** How long the agent takes. */
  readonly seconds?: number;
}

export interface TeamWorker {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has said so far. */
  readonly said: () => string;
  /** `group`: all that it has started and that did not leave its process group, too. */
  readonly kill: (whom: 'worker' | 'group') => void;
}

export interface TeamMachine {
  readonly name: string;
  /** A person's clone; it works beside it. */
  readonly top: string;
  readonly worktree: string;
  readonly git: (...args: readonly string[]) => string;
  /** `skeleton run --ledger … --remote origin`, with more words and variables. */
  readonly start: (more?: readonly string[], env?: NodeJS.ProcessEnv) => TeamWorker;
  readonly run: (...more: readonly string[]) => Promise<Ended>;
  /** Any other command there, told where the ledger is. */
  readonly ask: (...words: readonly string[]) => Promise<Ended>;
}

export interface TeamLab {
  readonly folder: string;
  readonly bare: string;
  readonly outside: string;
  /** Of the ledger, with its password. */
  readonly url: string;
  readonly tasks: readonly TeamTask[];
  /** Runs git in the bare repository. */
  readonly there: (...args: readonly string[]) => string;
  /** Full names of all refs there. */
  readonly refs: () => readonly string[];
  readonly machine: (name: string) => TeamMachine;
  readonly hook: (name: string, script: string) => void;
  /** `TASK NONCE FOLDER LEDGER` of each call of the agent. */
  readonly calls: () => readonly string[];
  /** `TASK TREE VERDICT` of each gate run. */
  readonly gated: () => readonly string[];
  /** The ledger's rows, in order of writing, without the product's own reading. */
  readonly history: () => Promise<readonly Recorded[]>;
  /** Ends all workers that are left, and what they have started. */
  readonly remove: () => Promise<void>;
}

/** A worker asks so often, and is given up so soon, that a test need not wait long: milliseconds, as of SKELETON_LEDGER_PATIENCE. */
const patience = 16_000;
/** After so many milliseconds of silence the server drops a frozen worker. */
export const idle = patience / 4;
export const branch = 'refs/heads/skeleton/plan';

/** Every tree that the gates see is written down, with what they say to it. */
const gate = `#!/bin/sh
export GIT_INDEX_FILE="$(mktemp -u)"
git add --all && tree=$(git write-tree); rm -f "$GIT_INDEX_FILE"
said=pass
for bad in BAD*; do test -e "$bad" && said=fail; done
test -z "$SKELETON_LEDGER" || said=told
echo "$SKELETON_TASK_ID $tree $said" >> "$OUTSIDE/gated"
test $said = pass || { echo "this tree is amiss"; exit 1; }
`;

/** Each call leaves something that nobody else can have made, before it may be cut off. */
const agent = `
cat > /dev/null
nonce=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')
echo "$nonce" > "$SKELETON_TASK_ID.txt"
echo "$SKELETON_TASK_ID $nonce \${SKELETON_LEDGER:-untold} $PWD" >> "$OUTSIDE/calls"
sleep "$(cat "$OUTSIDE/seconds-$SKELETON_TASK_ID")"
. "$OUTSIDE/edits-$SKELETON_TASK_ID"
echo done >> "$SKELETON_TASK_ID.txt"
`;

export function makeTeamLab(
  url: string,
  tasks: readonly TeamTask[],
  {
    front = '',
    files = {},
  }: { readonly front?: string; readonly files?: Readonly<Record<string, string>> } = {},
): TeamLab {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'a team ')));
  const [bare, seed, outside] = ['the remote.git', 'seed', 'outside'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  mkdirSync(outside);
  const run = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    }).trimEnd();
  run(folder, 'init', '-q', '--bare', '-b', 'main', bare);
  run(bare, 'config', 'core.logAllRefUpdates', 'always');
  run(folder, 'init', '-q', '-b', 'main', seed);
  const put = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  put(join(seed, 'gates/check.sh'), gate, 0o755);
  put(join(seed, 'PLAN.md'), `${front}# Plan\n\n${tasks.map(itemOf).join('')}`);
  for (const [path, text] of Object.entries(files)) put(join(seed, path), text);
  run(seed, 'add', '-A');
  run(seed, 'commit', '-qm', 'the plan');
  run(seed, 'push', '-q', bare, 'main');
  put(join(outside, 'agent.sh'), agent);
  for (const { id, edits = ':', seconds = 0 } of tasks) {
    put(join(outside, `edits-${id}`), edits);
    put(join(outside, `seconds-${id}`), String(seconds));
  }
  const lines = (name: string): readonly string[] => {
    const file = join(outside, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  };
  const there = (...args: readonly string[]): string => run(bare, ...args);
  const workers: TeamWorker[] = [];
  return {
    ...{ folder, bare, outside, url, tasks, there },
    refs: () => there('for-each-ref', '--format=%(refname)').split('\n'),
    machine: (name) => {
      const top = join(folder, name, 'my project');
      if (!existsSync(top)) run(folder, 'clone', '-q', bare, top);
      const git: TeamMachine['git'] = (...args) => run(top, ...args);
      return machineAt({ name, top, outside, url, workers, git });
    },
    hook: (name, script) => put(join(bare, 'hooks', name), `#!/bin/sh\n${script}\n`, 0o755),
    calls: () => lines('calls'),
    gated: () => lines('gated'),
    history: () => historyIn(url),
    remove: async () => {
      for (const worker of workers) worker.kill('group');
      await until('the end of all processes', () => processesIn(folder).length === 0);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

function itemOf({ id, needs = [], attempts }: TeamTask): string {
  const fields = [
    `needs: ${needs.length === 0 ? 'none' : needs.join(', ')}`,
    ...(attempts === undefined ? [] : [`attempts: ${attempts}`]),
  ];
  return `- [ ] Make ${id} {#${id}}\n${fields.map((field) => `  ${field}\n`).join('')}`;
}

interface Place {
  readonly name: string;
  readonly top: string;
  readonly outside: string;
  readonly url: string;
  readonly git: TeamMachine['git'];
  /** All that were started are put there. */
  readonly workers: TeamWorker[];
}

function machineAt({ name, top, outside, url, workers, git }: Place): TeamMachine {
  const command = `sh '${join(outside, 'agent.sh')}'`;
  const env = {
    OUTSIDE: outside,
    SKELETON_LEDGER: url,
    SKELETON_LEDGER_PATIENCE: `${patience / 1000}s`,
  };
  const words = ['run', '--remote', 'origin', '--agent-command', command];
  const begin = (args: readonly string[], own: NodeJS.ProcessEnv = {}): TeamWorker => {
    const worker = startWorker(top, args, { ...env, ...own });
    workers.push(worker);
    return worker;
  };
  const start: TeamMachine['start'] = (more = [], own) => begin([...words, ...more], own);
  return {
    ...{ name, top, git, start },
    worktree: `${top}.skeleton-plan`,
    run: (...more) => start(more).ended,
    ask: (...asked) => begin(asked).ended,
  };
}

function startWorker(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): TeamWorker {
  const child = spawn(process.execPath, [skeleton, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail);
    // Not its close: what outlives a worker that was killed may hold its output open.
    child.once('exit', (status) => setTimeout(() => done({ status, ...said }), 20));
  });
  return {
    child,
    ended,
    said: () => said.stdout + said.stderr,
    kill: (whom) => {
      const { pid } = child;
      if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      process.kill(whom === 'group' ? -pid : pid, 'SIGKILL');
    },
  };
}

async function historyIn(url: string): Promise<readonly Recorded[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Omit<Recorded, 'event'> & { readonly body: string }>(
      `select p.slug as plan, e.task, e.seq, e.run, e.at, e.body
      from skeleton.event as e join skeleton.plan as p on p.no = e.plan order by e.id`,
    );
    return rows.map(({ body, ...rest }) => ({ ...rest, event: JSON.parse(body) as Event }));
  } finally {
    await client.end();
  }
}

/** Waits for something that is to come. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  seconds = 60,
): Promise<void> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    if (await isSo()) return;
    await sleep(25);
  }
  throw new Error(`it never came: ${what}`);
}
