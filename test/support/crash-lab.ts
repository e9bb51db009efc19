import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Recorded } from '../../src/core/events.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { skeleton } from './user-repository.ts';

/** What becomes of an attempt that nothing cuts off, by what became of those before it. */
type Behaviour = (before: readonly string[]) => 'passed' | 'gate-failed';

export interface LabTask {
  readonly id: string;
  readonly attempts: number;
  readonly needs?: string;
  readonly becomes: Behaviour;
}

/** The agent's rule for a task that has to be told once. */
export const onceTold: Behaviour = (before) =>
  before.includes('gate-failed') ? 'passed' : 'gate-failed';

/** A repository to crash in: its tasks are done by a script that always does the same at the same point of the record. */
export interface CrashLab {
  readonly top: string;
  /** Holds the repository, the agent, and TMPDIR of what runs. */
  readonly folder: string;
  readonly tasks: readonly LabTask[];
  readonly remove: () => void;
}

const gate = `#!/bin/sh
! grep -H amiss *.txt
`;

/**
 * Each step also does what has to be put back, on disk, in the index and in git. What an earlier run was told it knows from
 * TOLD: the prompt tells of the last attempt only.
 */
const agent = `
prompt=$(cat) task=$SKELETON_TASK_ID how=good
sleep "\${AGENT_SECONDS:-0}"
case $task in
told*) how=amiss; case $TOLD in *" $task "*) how=good ;; esac; case $prompt in *"not pass: rejected by"*"$task.txt:amiss"*) how=good ;; esac ;;
bad*) how=amiss; echo T=2 > .env ;;
esac
echo "$how" > "$task.txt"
case $task in
bad*) git add -A; git commit --quiet -m mine; echo more > new.txt; git add new.txt ;;
esac
echo "$task" >> README.md
sleep "\${AGENT_SECONDS:-0}"
`;

export function makeCrashLab(tasks: readonly LabTask[]): CrashLab {
  const folder = newFolder();
  const top = join(folder, 'my project');
  for (const made of [top, join(folder, 'tmp'), join(top, 'gates')]) mkdirSync(made);
  writeFileSync(join(folder, 'agent.sh'), agent);
  writeFileSync(join(top, 'README.md'), 'hello\n');
  writeFileSync(join(top, '.gitignore'), '.env\n');
  const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: top });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=first commit');
  writeFileSync(join(top, '.env'), 'T=1\n');
  writeFileSync(join(top, 'gates', 'check.sh'), gate, { mode: 0o755 });
  writeFileSync(join(top, 'PLAN.md'), `# Plan\n\n${tasks.map(planItem).join('')}`);
  return openLab(folder, tasks);
}

export function copyCrashLab({ folder, tasks }: CrashLab): CrashLab {
  const copy = newFolder();
  execFileSync('cp', ['-a', `${folder}/.`, copy]);
  return openLab(copy, tasks);
}

function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'crash lab ')));
}

function openLab(folder: string, tasks: readonly LabTask[]): CrashLab {
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return { folder, top: join(folder, 'my project'), tasks, remove };
}

function planItem({ id, attempts, needs }: LabTask): string {
  const waits = needs === undefined ? '' : `      needs: ${needs}\n`;
  return `- [ ] Make ${id} {#${id}}\n      attempts: ${attempts}\n${waits}`;
}

export interface StartedRun {
  readonly child: ChildProcess;
  /** Null: a signal ended it. */
  readonly ended: Promise<{ readonly status: number | null; readonly output: string }>;
}

export interface RunOptions {
  /** The window to be killed at; 0: none, they are only counted. Without it, the command runs as it is. */
  readonly failpoint?: number;
  /** What each half of the agent's step takes. */
  readonly seconds?: number;
}

/** `skeleton run` with the lab's agent. */
export async function startRun(lab: CrashLab, options: RunOptions = {}): Promise<StartedRun> {
  const { failpoint, seconds = 0 } = options;
  const told = [...(await recordOf(lab))].filter(([, { ends }]) => ends.includes('gate-failed'));
  const preload = failpoint === undefined ? [] : ['--import', failpointModule];
  const args = [...preload, skeleton, 'run', '--agent-command', 'sh ../agent.sh'];
  rmSync(windowsFile(lab), { force: true });
  const child = spawn(process.execPath, args, {
    cwd: lab.top,
    env: {
      ...process.env,
      TMPDIR: join(lab.folder, 'tmp'),
      TOLD: ` ${told.map(([task]) => task).join(' ')} `,
      AGENT_SECONDS: String(seconds),
      FAILPOINT_LOG: windowsFile(lab),
      FAILPOINT_AT: String(failpoint ?? 0),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'exit').then(([status]: (number | null)[]) => ({
    status: status ?? null,
    output,
  }));
  return { child, ended };
}

const failpointModule = resolve('test/support/failpoint.mjs');

/** The windows that the last run went through, by name. */
export function windowsOf(lab: CrashLab): readonly string[] {
  return readFileSync(windowsFile(lab), 'utf8').trimEnd().split('\n');
}

function windowsFile({ folder }: CrashLab): string {
  return join(folder, 'windows');
}

interface TaskRecord {
  /** How each of its attempts ended, oldest first; for the runs as a whole, their exit statuses. */
  readonly ends: readonly string[];
  /** Numbers of attempts that have begun and are neither judged nor over: a crash now cuts them off. */
  readonly open: readonly number[];
}

/** Of each task, and '' for the runs as a whole: the ledger's rows, without the product's folds. */
export async function recordOf({
  top,
  folder,
}: CrashLab): Promise<ReadonlyMap<string, TaskRecord>> {
  const path = join(top, '.git/skeleton/ledger.db');
  if (!existsSync(path)) return new Map();
  // A copy: the npm twin of node:sqlite holds a file open after its close, and a run could not tidy up then.
  const copy = join(mkdtempSync(join(folder, 'read ')), 'ledger.db');
  for (const end of ['', '-wal']) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  const ledger = await openSqliteLedger(copy, { readOnly: true });
  const history = await ledger.history('plan');
  await ledger.close();
  const tasks = new Set(history.map(({ task }) => task));
  return new Map(
    [...tasks].map((id) => [id, taskRecord(history.filter(({ task }) => task === id))]),
  );
}

function taskRecord(rows: readonly Recorded[]): TaskRecord {
  const ends: string[] = [];
  let open: readonly number[] = [];
  for (const { event } of rows) {
    if (event.type === 'attempt.started') open = [event.number];
    if (event.type === 'attempt.rejected') ends.push(event.failure.kind);
    if (event.type === 'checkpoint.created') ends.push('passed');
    if (event.type === 'run.finished') ends.push(String(event.status));
    if (['attempt.rejected', 'gates.passed'].includes(event.type)) open = [];
  }
  return { ends, open };
}

/** What a crash at this moment leaves. */
export interface Wreck {
  /** `TASK#N` of the attempts that it cuts off. */
  readonly cutOff: readonly string[];
  /** The run had written down its end: the next one is another run. */
  readonly isOver: boolean;
}

export async function wreckOf(lab: CrashLab): Promise<Wreck> {
  const record = await recordOf(lab);
  const cutOff = [...record].flatMap(([task, { open }]) => open.map((n) => `${task}#${n}`));
  return { cutOff, isOver: (record.get('')?.ends.length ?? 0) > 0 };
}
