import type { RunCounts, TaskEvent, TaskOutcome } from '../core/events.ts';
import { spellLimit } from '../core/duration.ts';
import type { State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { replay } from '../core/machine.ts';
import { pick, unmet, type Standing, type WaitRules } from '../core/schedule.ts';
import { lastLimit, limitsIn, spellLimited } from '../core/waiting.ts';
import { leavingOff } from './leave-off.ts';
import { runTask } from './run-task.ts';
import type { Session } from './session.ts';

export interface RunJob {
  /** The pending tasks of this run, in the plan's order. */
  readonly tasks: readonly Task[];
  /** Ids whose positional wait is lifted. */
  readonly lifted: ReadonlySet<string>;
  /** The plan's bytes at the run's first base. */
  readonly plan: Uint8Array;
  /** Ids whose attempts were used up in a run that died: five means five, so this run does not begin them anew. */
  readonly usedUp: ReadonlySet<string>;
}

export interface RunEnd {
  readonly why: 'done' | 'failed' | 'interrupted' | 'limit' | 'gate-error' | 'signed-out';
  readonly counts: RunCounts;
}

/** Works through the tasks, one at a time, in the plan's order as far as needs allow (contract, "PLAN.md"). */
export async function runPlan(job: RunJob, session: Session): Promise<RunEnd> {
  const { settings, tick, signal } = session;
  const outcomes = new Map<string, TaskOutcome>();
  const standing = standingIn(job, session, outcomes);
  const rules: WaitRules = { keepGoing: settings.keepGoing, lifted: job.lifted };
  const next = (): Task | undefined =>
    signal.aborted || isOver(outcomes, session) ? undefined : pick(job.tasks, standing, rules);
  const board: Board = { standing, rules, outcomes };
  let plan = job.plan;
  for (;;) {
    const task = next();
    if (task === undefined) {
      if (signal.aborted || hasOutcome(outcomes, 'stopped')) break;
      if (!(await blockNext(job.tasks, board, session))) break;
      continue;
    }
    const isUsedUp = job.usedUp.has(task.id);
    const outcome = await (isUsedUp ? giveUp(task, session) : takeUp(task, plan, session));
    outcomes.set(task.id, outcome);
    if (isDone(outcome)) plan = tick(plan, task.id);
  }
  return { why: whyEnded(outcomes, session), counts: count(session, outcomes) };
}

function isDone(outcome: TaskOutcome | undefined): boolean {
  return outcome === 'passed' || outcome === 'unjudged';
}

function hasOutcome(outcomes: ReadonlyMap<string, TaskOutcome>, wanted: TaskOutcome): boolean {
  return [...outcomes.values()].includes(wanted);
}

/** Nothing more starts after a task was stopped, or with fail_fast after one failed. */
function isOver(outcomes: ReadonlyMap<string, TaskOutcome>, { settings }: Session): boolean {
  return hasOutcome(outcomes, 'stopped') || (settings.failFast && hasOutcome(outcomes, 'failed'));
}

/** One task from where the ledger left it to where this run leaves it. */
async function takeUp(task: Task, plan: Uint8Array, session: Session): Promise<TaskOutcome> {
  const { journal } = session;
  const events = await journal.open(task.id);
  const before = replay(events);
  await journal.append(task.id, { type: 'task.started', title: task.title, line: task.line });
  const resumes = before.phase === 'stopped' || before.phase === 'waiting';
  // Whoever may work now need not be who was waited for.
  if (before.phase === 'waiting') session.roster.recall(limitsIn(events));
  if (resumes || before.phase === 'failed' || before.phase === 'passed')
    await journal.append(task.id, { type: 'task.reopened', anew: !resumes });
  const state = await leavingOff(task, session, () => runTask(task, plan, session));
  const outcome = outcomeOf(state, session);
  const why = whyLeft({ state, events: await journal.open(task.id) }, outcome, session);
  await journal.append(task.id, { type: 'task.finished', state: outcome, ...(why && { why }) });
  return outcome;
}

function whyLeft(
  { state, events }: { readonly state: State; readonly events: readonly TaskEvent[] },
  outcome: TaskOutcome,
  session: Session,
): string | undefined {
  if (outcome === 'failed' && state.phase === 'pending') return 'no attempt is left';
  if (outcome !== 'stopped') return undefined;
  const { signal, settings } = session;
  if (signal.aborted)
    return session.isInterrupted()
      ? undefined
      : `the run reached max_time (${spellLimit(settings.maxTime)})`;
  return (
    session.purse.whyStopped() ?? session.roster.whyShut() ?? whyNotWaited(state, events, session)
  );
}

function whyNotWaited(
  state: State,
  events: readonly TaskEvent[],
  { waits, settings }: Session,
): string | undefined {
  if (state.phase !== 'waiting' || !waits.wasExceeded()) return undefined;
  const until = `${state.until.slice(0, 16).replace('T', ' ')} UTC`;
  const most = spellLimit(settings.maxWait);
  const limited = spellLimited(lastLimit(events) ?? state, until);
  return `${limited}; to wait for that goes beyond max_wait (${most} in all)`;
}

async function giveUp(task: Task, session: Session): Promise<TaskOutcome> {
  const why = 'no attempt was left when the last run died; the next run begins it anew';
  await session.journal.append(task.id, { type: 'task.finished', state: 'failed', why });
  return 'failed';
}

function outcomeOf(state: State, session: Session): TaskOutcome {
  if (state.phase === 'passed') return session.settings.judged ? 'passed' : 'unjudged';
  // Still pending although nothing stops it: earlier runs have used up the attempts that this one allows.
  const isStopped = session.signal.aborted || session.purse.whyStopped() !== undefined;
  const isUsedUp = state.phase === 'pending' && !isStopped;
  return state.phase === 'failed' || isUsedUp ? 'failed' : 'stopped';
}

function standingIn(
  job: RunJob,
  session: Session,
  outcomes: ReadonlyMap<string, TaskOutcome>,
): (id: string) => Standing {
  const selected = new Set(job.tasks.map((task) => task.id));
  const done = new Set(
    session.plan.tasks.filter((task) => task.state !== 'pending').map((task) => task.id),
  );
  return (id) => {
    const outcome = outcomes.get(id);
    if (done.has(id) || isDone(outcome)) return 'satisfied';
    if (outcome !== undefined) return 'settled';
    return selected.has(id) ? 'open' : 'idle';
  };
}

interface Board {
  readonly standing: (id: string) => Standing;
  readonly rules: WaitRules;
  readonly outcomes: Map<string, TaskOutcome>;
}

/** Blocks the first task that waits for one which failed or is blocked; false where there is none (left). */
async function blockNext(
  tasks: readonly Task[],
  { standing, rules, outcomes }: Board,
  session: Session,
): Promise<boolean> {
  for (const task of tasks.filter(({ id }) => standing(id) === 'open')) {
    const need = unmet(task, standing, rules).find((id) => standing(id) === 'settled');
    if (need === undefined) continue;
    outcomes.set(task.id, 'blocked');
    const why = `waits for ${need}`;
    await session.journal.append(task.id, { type: 'task.finished', state: 'blocked', why });
    return true;
  }
  return false;
}

function whyEnded(outcomes: ReadonlyMap<string, TaskOutcome>, session: Session): RunEnd['why'] {
  if (session.signal.aborted) return session.isInterrupted() ? 'interrupted' : 'limit';
  if (session.waits.wasExceeded() || session.purse.whyStopped() !== undefined) return 'limit';
  if (hasOutcome(outcomes, 'stopped'))
    return session.roster.whyShut() === undefined ? 'gate-error' : 'signed-out';
  return hasOutcome(outcomes, 'failed') || hasOutcome(outcomes, 'blocked') ? 'failed' : 'done';
}

function count(session: Session, outcomes: ReadonlyMap<string, TaskOutcome>): RunCounts {
  const of = (...wanted: TaskOutcome[]): number =>
    [...outcomes.values()].filter((outcome) => wanted.includes(outcome)).length;
  const { tasks } = session.plan;
  const pending = tasks.filter((task) => task.state === 'pending').length;
  return {
    passed: of('passed'),
    failed: of('failed'),
    blocked: of('blocked'),
    skipped: tasks.filter((task) => task.state === 'skipped').length,
    unjudged: of('unjudged'),
    pending: pending - of('passed', 'failed', 'blocked', 'unjudged'),
  };
}
