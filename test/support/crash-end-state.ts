import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../cli/program.ts';
import { recordOf } from './crash-lab.ts';
import type { CrashLab, LabTask } from './crash-lab.ts';
import { fakeIo } from './fake-io.ts';

/** What is to be found in the end, whatever cut the runs off. */
export interface EndState {
  /** How each attempt ended, by task. */
  readonly ends: Readonly<Record<string, readonly string[]>>;
  /** Kept attempts, as TASK/N. */
  readonly snapshots: readonly string[];
  /** Tag and tree of each checkpoint, without the tag's number. */
  readonly checkpoints: readonly string[];
  readonly starts: number;
  readonly brokenProofs: readonly string[];
  readonly states: readonly string[];
  readonly subjects: string;
  readonly git: string;
  readonly ignored: string;
  /** Files of ours in the git directory, but for logs and quarantine. */
  readonly files: readonly string[];
  readonly alive: readonly string[];
}

/** As a run that was never killed ends, with the attempts more that were cut off: each of them costs one of its task's. */
export function expectedAfter(
  never: EndState,
  tasks: readonly LabTask[],
  cutOff: ReadonlySet<string>,
): EndState {
  const reached = tasks.filter(({ id }) => (never.ends[id]?.length ?? 0) > 0);
  const ends = Object.fromEntries(reached.map((task) => [task.id, endsOf(task, cutOff)]));
  const snapshots = Object.entries(ends).flatMap(([id, ends]) =>
    ends.flatMap((end, index) => (end === 'passed' ? [] : [`${id}/${index + 1}`])),
  );
  return { ...never, ends, snapshots: snapshots.sort() };
}

function endsOf({ id, attempts, becomes }: LabTask, cutOff: ReadonlySet<string>): string[] {
  const ends: string[] = [];
  while (ends.length < attempts && ends.at(-1) !== 'passed')
    ends.push(cutOff.has(`${id}#${ends.length + 1}`) ? 'crashed' : becomes(ends));
  return ends;
}

export async function endStateOf(lab: CrashLab): Promise<EndState> {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: lab.top, encoding: 'utf8' });
  const record = [...(await recordOf(lab))].filter(
    ([task, { ends }]) => task !== '' && ends.length > 0,
  );
  const refs = git('for-each-ref', '--format=%(refname) %(objectname) %(*objectname) %(tree)');
  const lines = refs.trimEnd().split('\n');
  return {
    files: ownFiles(lab),
    ends: Object.fromEntries(record.map(([task, { ends }]) => [task, ends])),
    snapshots: after(lines, 'refs/skeleton/attempts/plan/').map((line) => line.split(' ')[0] ?? ''),
    ...checkpointsIn(lines),
    states: await statesIn(lab),
    subjects: git('log', '--format=%s', 'main'),
    git: git('status', '--porcelain', '--branch') + git('fsck', '--no-dangling', '--no-progress'),
    ignored: readFileSync(join(lab.top, '.env'), 'utf8'),
    alive: await aliveIn(lab),
  };
}

function after(lines: readonly string[], start: string): readonly string[] {
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}

function checkpointsIn(
  lines: readonly string[],
): Pick<EndState, 'checkpoints' | 'starts' | 'brokenProofs'> {
  const tags = after(lines, 'refs/tags/skeleton/plan/').map((line) => line.split(' '));
  const passed = tags.filter(([name = '']) => !name.endsWith('-start'));
  const proofs = after(lines, 'refs/skeleton/proof/plan/').map((line) => line.split(' '));
  const proved = new Map(proofs.map(([number, , commit]) => [number, commit]));
  const wanted = passed.map(([name = '', commit]) => [name.slice(0, 4), commit] as const);
  const broken = wanted.filter(([number, commit]) => proved.get(number) !== commit);
  return {
    checkpoints: passed.map(([name = '', , , tree]) => `${name.slice(5)} ${tree ?? ''}`),
    starts: tags.length - passed.length,
    brokenProofs: [
      ...broken.map(([number]) => number),
      ...(proofs.length === passed.length ? [] : [`${proofs.length} proofs`]),
    ],
  };
}

/** As `skeleton status` tells them. */
async function statesIn({ top }: CrashLab): Promise<readonly string[]> {
  const io = fakeIo({ argv: ['status', '--json'], cwd: top, env: process.env });
  await runProgram(io, '0');
  const { tasks } = JSON.parse(io.stdout()) as { tasks: { id: string; state: string }[] };
  return tasks.map(({ id, state }) => `${id} ${state}`);
}

/** Ids of work trees differ from folder to folder; what SQLite had under way when it was killed the next command takes up. */
function ownFiles({ top }: CrashLab): readonly string[] {
  const names = readdirSync(join(top, '.git'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /^skeleton\/|\.lock$/.test(name))
    .filter((name) => !/^skeleton\/(?:logs|quarantine)\b|\.db-(?:wal|shm|journal)$/.test(name))
    .map((name) => name.replace(/[0-9a-f]{12}/g, 'ID'))
    .sort();
}

/** How long what is being ended gets to be gone. */
const graceMs = 5000;

/** Processes that stand in the lab's folder, or have it in their environment. */
async function aliveIn({ folder }: CrashLab): Promise<readonly string[]> {
  const look = (): readonly string[] => readdirSync('/proc').filter((pid) => isIn(pid, folder));
  let alive = look();
  for (let waited = 0; alive.length > 0 && waited < graceMs; waited += 50) {
    await sleep(50);
    alive = look();
  }
  return alive.map(commandOf);
}

/** Its number alone where it has ended meanwhile. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return pid;
  }
}

function isIn(pid: string, folder: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    if (readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return true;
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
