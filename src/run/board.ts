import type { RunCounts, TaskOutcome } from '../core/events.ts';
import type { State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { unmet, type Standing, type WaitRules } from '../core/schedule.ts';
import type { RunEnd, RunJob } from './run-job.ts';
import type { Session } from './session.ts';

/** Where the tasks of a run stand, and what has become of those that it is done with. */
export interface Board {
  readonly standing: (id: string) => Standing;
  readonly rules: WaitRules;
  readonly outcomes: Map<string, TaskOutcome>;
}

export function openBoard(
  job: RunJob,
  session: Session,
  outcomes: Board['outcomes'] = new Map(),
): Board {
  const rules = { keepGoing: session.settings.keepGoing, lifted: job.lifted };
  return { standing: standingIn(job, session, outcomes), rules, outcomes };
}

export function isDone(outcome: TaskOutcome | undefined): boolean {
  return outcome === 'passed' || outcome === 'unjudged';
}

export function hasOutcome(
  outcomes: ReadonlyMap<string, TaskOutcome>,
  wanted: TaskOutcome,
): boolean {
  return [...outcomes.values()].includes(wanted);
}

/** Nothing more starts after a task was stopped, or with fail_fast after one failed. */
export function isOver(outcomes: ReadonlyMap<string, TaskOutcome>, { settings }: Session): boolean {
  return hasOutcome(outcomes, 'stopped') || (settings.failFast && hasOutcome(outcomes, 'failed'));
}

/** What became of a task that is on the branch. */
export function passedIn({ settings }: Session): 'passed' | 'unjudged' {
  return settings.judged ? 'passed' : 'unjudged';
}

export function outcomeOf(state: State, session: Session): TaskOutcome {
  if (state.phase === 'passed') return passedIn(session);
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
    if (done.has(id) || isDone(outcome) || outcome === 'skipped') return 'satisfied';
    if (outcome !== undefined) return 'settled';
    return selected.has(id) ? 'open' : 'idle';
  };
}

export interface Blocked {
  /** Of the task. */
  readonly id: string;
  readonly why: string;
}

/** The first task that waits for one which failed or is blocked; undefined where there is none (left). */
export function nextBlocked(
  tasks: readonly Task[],
  { standing, rules }: Board,
): Blocked | undefined {
  for (const task of tasks.filter(({ id }) => standing(id) === 'open')) {
    const need = unmet(task, standing, rules).find((id) => standing(id) === 'settled');
    if (need !== undefined) return { id: task.id, why: `waits for ${need}` };
  }
  return undefined;
}

export async function block({ id, why }: Blocked, board: Board, session: Session): Promise<void> {
  await session.journal.append(id, { type: 'task.finished', state: 'blocked', why });
  board.outcomes.set(id, 'blocked');
}

/** Blocks the first task that has to be; false where there is none (left). */
export async function blockNext(
  tasks: readonly Task[],
  board: Board,
  session: Session,
): Promise<boolean> {
  const next = nextBlocked(tasks, board);
  if (next !== undefined) await block(next, board, session);
  return next !== undefined;
}

export function whyEnded(
  outcomes: ReadonlyMap<string, TaskOutcome>,
  session: Session,
): RunEnd['why'] {
  if (session.signal.aborted) return session.isInterrupted() ? 'interrupted' : 'limit';
  if (session.waits.wasExceeded() || session.purse.whyStopped() !== undefined) return 'limit';
  if (hasOutcome(outcomes, 'stopped'))
    return session.roster.whyShut() === undefined ? 'gate-error' : 'signed-out';
  return hasOutcome(outcomes, 'failed') || hasOutcome(outcomes, 'blocked') ? 'failed' : 'done';
}

export function count(session: Session, outcomes: ReadonlyMap<string, TaskOutcome>): RunCounts {
  const of = (...wanted: TaskOutcome[]): number =>
    [...outcomes.values()].filter((outcome) => wanted.includes(outcome)).length;
  const { tasks } = session.plan;
  const isLeft = (id: string): boolean => (outcomes.get(id) ?? 'stopped') === 'stopped';
  return {
    passed: of('passed'),
    failed: of('failed'),
    blocked: of('blocked'),
    skipped: tasks.filter((task) => task.state === 'skipped').length,
    unjudged: of('unjudged'),
    pending: tasks.filter(({ id, state }) => state === 'pending' && isLeft(id)).length,
  };
}

/** A task whose attempts are used up: five means five, whoever made them. */
export async function giveUp(
  task: Task,
  session: Session,
  why = 'no attempt was left when the last run died; the next run begins it anew',
): Promise<TaskOutcome> {
  await session.journal.append(task.id, { type: 'task.finished', state: 'failed', why });
  return 'failed';
}
