import { join } from 'node:path';
import { clock } from '../compose.ts';
import { differsInMarksOnly } from '../core/plan/tick.ts';
import { tickIn } from '../run/prepare.ts';
import type { RunEnd } from '../run/run-plan.ts';
import type { Session } from '../run/session.ts';
import { startRun } from '../run/start-run.ts';
import { nothingToDo, readWork, type Work } from './read-work.ts';
import { journalOf, type RunBase } from './run-base.ts';

export interface RunResult {
  /** The contract's exit status; 130 for an interruption by any signal (the caller knows which). */
  readonly status: 0 | 1 | 4 | 130;
  readonly why?: string;
}

const statusOf = {
  done: 0,
  failed: 1,
  limit: 4,
  'gate-error': 4,
  interrupted: 130,
} as const satisfies Record<RunEnd['why'], RunResult['status']>;

/** From the lock to the end of the run. */
export async function carryOut(base: RunBase, usedUp: ReadonlySet<string>): Promise<RunResult> {
  const work = await readWork(base);
  if (work.tasks.length === 0) {
    base.io.onLine(nothingToDo(work));
    return { status: 0 };
  }
  const session = await openSession(base, work);
  const { plan, bytes } = work.reading;
  const { tasks, lifted } = work;
  const job = { plan, bytes, tasks, lifted, usedUp, gates: work.common, options: shown(work) };
  const end = await startRun(job, session);
  const status = statusOf[end.why];
  await session.journal.append('', { type: 'run.finished', status, ...end });
  return { status, why: end.why };
}

async function openSession(base: RunBase, work: Work): Promise<Session> {
  const { io, house, ledger, workspace, run, slug, planPath } = base;
  const { agent, gates, settings, reading } = work;
  const deadline = AbortSignal.timeout(Math.min(settings.maxTime, LONGEST_TIMER));
  await ledger.addPlan(slug, planPath);
  return {
    ports: { workspace, agent, gates, ledger, clock, processes: await house.processes() },
    journal: journalOf(base, slug),
    plan: reading.plan,
    settings,
    highestProof: await workspace.highestProof(slug),
    signal: AbortSignal.any([io.signal, deadline]),
    isInterrupted: () => io.signal.aborted,
    onProgress: io.onProgress,
    tick: tickIn(planPath),
    differsInMarksOnly,
    logFolder: (task, number) => join(house.stateFolder, 'logs', run, task, String(number)),
  };
}

/** Node's timers hold 31 bits of milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What the run was asked for: for its first line, the ledger and `--json`. */
function shown({ settings, agent, all, tasks }: Work): Readonly<Record<string, unknown>> {
  return {
    tasks: tasks.map((task) => task.id),
    agent: agent.name,
    gates: all.map((gate) => gate.name),
    gateTimeout: all.reduce((sum, gate) => sum + gate.timeout, 0),
    attempts: settings.attempts,
    timeout: settings.timeout,
    maxTime: settings.maxTime,
  };
}
