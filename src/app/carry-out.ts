import { hostname } from 'node:os';
import { join } from 'node:path';
import { clock, deadlineAfter } from '../compose.ts';
import type { Task } from '../core/plan/plan.ts';
import type { Settings } from '../core/settings.ts';
import { stagesOf } from '../core/stages/stages.ts';
import { differsInMarksOnly } from '../core/plan/tick.ts';
import { tickIn } from '../run/prepare.ts';
import { openPurse } from '../run/purse.ts';
import type { RunEnd } from '../run/run-plan.ts';
import { openRoster } from '../run/roster.ts';
import type { Session } from '../run/session.ts';
import { openSteering } from '../run/steering.ts';
import { startRun, type StartJob } from '../run/start-run.ts';
import { openWaitBudget } from '../run/wait-budget.ts';
import { cleanGround } from './clean-ground.ts';
import { givingBack } from './giving-back.ts';
import { tell } from './open-base.ts';
import { checkOnce } from './once.ts';
import { openPlanWatch } from './plan-watch.ts';
import { nothingToDo, readWork, type Work } from './read-work.ts';
import type { OpenBase, RunBase, RunIo } from './run-base.ts';
import { openSlots } from './slots.ts';

export interface RunResult {
  /** The contract's exit status. */
  readonly status: 0 | 1 | 4 | Interruption;
  readonly why?: string;
  /** How the budget was reached, where that stopped it. */
  readonly budget?: string;
}

export type Interruption = 129 | 130 | 143;

const statusOf = {
  done: 0,
  failed: 1,
  limit: 4,
  'gate-error': 4,
  'signed-out': 4,
  unpushed: 4,
  'plan-changed': 4,
} as const satisfies Record<Exclude<RunEnd['why'], 'interrupted'>, RunResult['status']>;

export type Start = (job: StartJob, session: Session, work: Work) => Promise<RunEnd>;

/** From the lock to the end of the run. `isOwed`: there is something to write down even where there is nothing to do. */
export async function carryOut(
  base: RunBase,
  usedUp: ReadonlySet<string>,
  start: Start = startRun,
  isOwed: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<RunResult> {
  const work = await readWork(base);
  base.onBegin(work.reading.config);
  const once = await checkOnce(base, work);
  if ('result' in once) return once.result;
  if (work.tasks.length === 0 && !(await isOwed())) {
    base.io.onLine(nothingToDo(work));
    return { status: 0 };
  }
  const session = await openSteered(base, work);
  const { plan, bytes } = work.reading;
  const { tasks, lifted } = work;
  const setAside = work.settings.autostash ? setAsideIn(base) : undefined;
  const options = shown(work, base, once.key);
  const slots = work.settings.jobs > 1 ? openSlots(base, work, session) : undefined;
  const job = { plan, bytes, tasks, lifted, usedUp, gates: work.common, options, setAside, slots };
  const end = await givingBack(base, work.settings.autostash, () =>
    keepingAwake(base, work, () => inCleanGround(session, () => start(job, session, work))),
  ).finally(() => slots?.close());
  return writeEnd(base, session, end);
}

async function writeEnd(base: RunBase, session: Session, end: RunEnd): Promise<RunResult> {
  // A signal ends the command as one, also where it came while work was put back.
  const why = session.isInterrupted() ? 'interrupted' : end.why;
  const status = why === 'interrupted' ? interruption(base.io.signal) : statusOf[why];
  await session.journal.append('', { type: 'run.finished', status, ...end, why });
  const budget = status === 4 ? session.purse.whyStopped() : undefined;
  return { status, why, ...(budget !== undefined && { budget }) };
}

function setAsideIn(base: RunBase): StartJob['setAside'] {
  return async (isLeft) => {
    const ref = await base.keeper.setAside(base.slug, isLeft);
    if (ref !== undefined) await tell(base, `your uncommitted work is set aside at ${ref}`);
  };
}

/** However the work ends, its linked worktree goes. */
export async function inCleanGround<T>({ clean }: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await clean?.room.close();
  }
}

/** However the work ends, the machine may go to sleep again. */
async function keepingAwake<T>(
  { house }: RunBase,
  { settings }: Work,
  work: () => Promise<T>,
): Promise<T> {
  if (!settings.keepAwake) return work();
  const awake = await house.keepAwake();
  try {
    return await work();
  } finally {
    awake.close();
  }
}

/** The abort's reason, where that is the status of a signal. */
export function interruption(signal: AbortSignal): Interruption {
  const reason: unknown = signal.reason;
  return reason === 129 || reason === 143 ? reason : 130;
}

export async function openSession(
  base: RunSite,
  work: Pick<Work, 'agents' | 'gates' | 'settings' | 'reading'>,
): Promise<Session> {
  const { io, house, ledger, workspace, run, slug, planPath } = base;
  const { agents, gates, settings, reading } = work;
  const deadline = deadlineAfter(settings.maxTime);
  await ledger.addPlan(slug, planPath);
  return {
    ports: { workspace, agents, gates, ledger, clock, processes: await house.processes() },
    journal: base.journalOf(slug),
    plan: reading.plan,
    settings,
    mask: house.mask,
    waits: openWaitBudget(settings.maxWait),
    purse: openPurse(settings.budget),
    roster: openRoster(agents, clock),
    ...(await cleanGround(house, reading.config)),
    highestProof: await workspace.highestProof(slug),
    signal: AbortSignal.any([io.signal, deadline]),
    isInterrupted: () => io.signal.aborted,
    onProgress: io.onProgress,
    tick: tickIn(planPath),
    differsInMarksOnly,
    logFolder: (task, number) => join(house.stateFolder, 'logs', run, task, String(number)),
  };
}

/** A session in which people are heard meanwhile. */
async function openSteered(base: RunBase, work: Work): Promise<Session> {
  const session = await openSession(base, work);
  const watch = openPlanWatch(base, work);
  return { ...session, steering: openSteering({ ...session, watch }) };
}

type RunSite = OpenBase & { readonly io: RunIo };

/** What the run was asked for: for its first line, the ledger and `--json`. */
function shown(
  { settings, agents, all, tasks }: Work,
  { isolated, house }: RunBase,
  once: string | undefined,
): Readonly<Record<string, unknown>> {
  const stages = Math.max(...tasks.map((task) => stepsOf(task, settings)));
  return {
    tasks: tasks.map((task) => task.id),
    agent: agents.name,
    gates: all.map((gate) => gate.name),
    gateTimeout: all.reduce((sum, gate) => sum + gate.timeout, 0),
    attempts: settings.attempts,
    timeout: settings.timeout,
    maxTime: settings.maxTime,
    ...(stages > 1 && { stages }),
    ...(settings.budget && { budget: settings.budget }),
    ...(isolated !== undefined && { isolated }),
    ...(once !== undefined && { once }),
    ...(house.shared !== undefined && { host: hostname() }),
  };
}

/** A review may be asked twice. */
function stepsOf(task: Task, { stages }: Settings): number {
  const all = stagesOf(task.config, stages);
  return Math.max(1, all.length + all.filter(({ verdict }) => verdict).length);
}
