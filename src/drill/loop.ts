import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcesses, findByToken } from '../exec/end-processes.ts';
import { runCommand } from '../exec/run-command.ts';
import { deedFile, holdFile, ordersFile, readyFile } from './orders.ts';
import type { Deed, Orders } from './orders.ts';
import type { Place, Stage } from './stage.ts';

const runMs = 10 * 60_000;
/** What a run leaves has this long to go by itself; a watcher has promised to need less. */
const patienceMs = 3000;
const pauseMs = 20;

/** How a `skeleton run` in a clone ended. */
export interface LoopEnd {
  /** Null where a signal ended it. */
  readonly status: number | null;
  /** The last line that it wrote for a person. */
  readonly said: string;
  /** Refs of the snapshots of what was rolled back. */
  readonly snapshots: readonly string[];
  readonly hasPassed: boolean;
  /** What the vandal did; undefined where it did not get that far. */
  readonly deed: Deed | undefined;
}

export interface LoopOrders {
  readonly script: string;
  readonly tasks: readonly string[];
  readonly attempts: number;
  /** Killed with -9 as soon as somebody waits for it. */
  readonly killedIn?: 'agent' | 'gate';
}

/** What an agent does that means it. */
export const honest = `mkdir -p skeleton-drill; echo done > "skeleton-drill/$SKELETON_TASK_ID"`;

/** The real command, in a process of its own, with the vandal as its agent. */
export async function runLoop(stage: Stage, place: Place, orders: LoopOrders): Promise<LoopEnd> {
  give(place, orders);
  let pid: number | undefined;
  const running = runCommand({
    file: process.execPath,
    args: argsOf(stage, orders),
    cwd: place.repo,
    env: place.env,
    timeoutMs: runMs,
    signal: stage.signal,
    onSpawn: (started) => {
      pid = started;
    },
  });
  if (orders.killedIn !== undefined && (await isReady(place, running)) && pid !== undefined)
    process.kill(pid, 'SIGKILL');
  const { code, stdout, stderr } = await running;
  const lines = stderr.trim().split('\n');
  const said = lines.find((line) => line.startsWith('skeleton: ')) ?? lines.at(-1) ?? '';
  return { status: code, said, deed: deedIn(place), ...readEvents(stdout.toString('utf8')) };
}

function give({ control }: Place, { script, killedIn }: LoopOrders): void {
  for (const name of [deedFile, readyFile, holdFile]) rmSync(join(control, name), { force: true });
  const orders: Orders = { script, holds: killedIn === 'agent' };
  writeFileSync(join(control, ordersFile), JSON.stringify(orders));
  if (killedIn === 'gate') writeFileSync(join(control, holdFile), '');
}

function argsOf({ command }: Stage, { tasks, attempts }: LoopOrders): readonly string[] {
  const agent = '"$DRILL_NODE" "$DRILL_VANDAL"';
  const options = ['--plan', 'PLAN.md', '--json', '--quiet', '--attempts', String(attempts)];
  return [command, 'run', ...tasks, ...options, '--agent-command', agent];
}

/** Whether somebody waits to be killed; not if the run is over before. */
async function isReady({ control }: Place, running: Promise<unknown>): Promise<boolean> {
  const over = running.then(
    () => true,
    () => true,
  );
  while (!existsSync(join(control, readyFile)))
    if (await Promise.race([over, sleep(pauseMs, false)])) return false;
  return true;
}

function deedIn({ control }: Place): Deed | undefined {
  const path = join(control, deedFile);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Deed) : undefined;
}

interface Line {
  readonly type?: string;
  readonly snapshot?: { readonly ref: string };
}

/** Of the events, what the drill asks about; a kill may cut the last line short. */
function readEvents(text: string): Pick<LoopEnd, 'snapshots' | 'hasPassed'> {
  const lines = text.split('\n').flatMap((line): readonly Line[] => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
  return {
    snapshots: lines
      .filter(({ type }) => type === 'rollback.done')
      .flatMap(({ snapshot }) => snapshot?.ref ?? []),
    hasPassed: lines.some(({ type }) => type === 'checkpoint.created'),
  };
}

/** What is still there of an attempt's processes when they had time to go; they are ended then. */
export async function countLeft({ token }: Place): Promise<number> {
  const deadline = performance.now() + patienceMs;
  while (findByToken(token).length > 0 && performance.now() < deadline) await sleep(pauseMs);
  const left = findByToken(token);
  if (left.length > 0) await endProcesses({ token }, 0);
  return left.length;
}
