import type { RunCounts, TaskOutcome } from '../core/events.ts';
import type { State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { leaveAhead, openAhead, type Ahead, type Ready, type Slots } from './ahead.ts';
import { mayOverlap } from '../core/overlap.ts';
import { pick, unmet, type Standing, type WaitRules } from '../core/schedule.ts';
import { leavingOff } from './leave-off.ts';
import { reopen } from './reopen.ts';
import { runTask } from './run-task.ts';
import type { Session } from './session.ts';
import { whyLeft } from './why-left.ts';

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

/**
 * Works through the tasks in the plan's order as far as needs allow (contract, "PLAN.md"): on the branch one at a time, whatever
 * is worked on ahead of its turn meanwhile.
 */
export async function runPlan(
  job: RunJob,
  session: Session,
  slots?: Slots & { readonly base: string },
): Promise<RunEnd> {
  const outcomes = new Map<string, TaskOutcome>();
  const board = {
    standing: standingIn(job, session, outcomes),
    rules: { keepGoing: session.settings.keepGoing, lifted: job.lifted },
    outcomes,
  };
  const line: Line = { job, board, plan: job.plan, commit: slots?.base ?? '', head: undefined };
  const ahead = slots && openAhead(slots, (begun) => readyIn(line, begun, session));
  try {
    await inTurns(line, session, ahead);
  } finally {
    // What went wrong matters more than what cannot be written down because of it.
    await ahead?.close();
  }
  for (const task of (await ahead?.close()) ?? [])
    if (!outcomes.has(task.id) && (await leaveAhead(task, session)) === 'failed')
      outcomes.set(task.id, 'failed');
  return { why: whyEnded(outcomes, session), counts: count(session, outcomes) };
}

/** Where the run is: what has moved since it began. */
interface Line {
  readonly job: RunJob;
  readonly board: Board;
  plan: Uint8Array;
  /** The newest checkpoint, or where the run began. */
  commit: string;
  /** Whose turn it is. */
  head: Task | undefined;
}

async function inTurns(line: Line, session: Session, ahead: Ahead | undefined): Promise<void> {
  const { job, board } = line;
  const { outcomes, standing, rules } = board;
  for (;;) {
    const isOpen = !session.signal.aborted && !isOver(outcomes, session);
    const task = isOpen ? pick(job.tasks, standing, rules) : undefined;
    line.head = task;
    if (task === undefined) {
      if (session.signal.aborted || hasOutcome(outcomes, 'stopped')) return;
      if (!(await blockNext(job.tasks, board, session))) return;
      continue;
    }
    const { outcome, commit } = await takeTurn(task, line, { session, ahead });
    outcomes.set(task.id, outcome);
    if (isDone(outcome)) line.plan = session.tick(line.plan, task.id);
    if (commit !== undefined) line.commit = commit;
  }
}

async function takeTurn(
  task: Task,
  { job, plan }: Line,
  { session, ahead }: { readonly session: Session; readonly ahead: Ahead | undefined },
): ReturnType<typeof takeUp> {
  if (job.usedUp.has(task.id)) return { outcome: await giveUp(task, session) };
  if (ahead === undefined) return takeUp({ task, plan, isBegun: false }, session);
  const isBegun = ahead.has(task);
  const seat = await ahead.turn(task);
  ahead.fill();
  return takeUp({ task, plan, isBegun }, { ...session, seat });
}

/** What may be worked on beside the task whose turn it is: it waits for nothing, and names no file that one under way names. */
function readyIn(
  { job, board, plan, commit, head }: Line,
  begun: readonly Task[],
  session: Session,
): Ready {
  const { standing, rules, outcomes } = board;
  const isOpen = !session.signal.aborted && !isOver(outcomes, session) && !isStopping(session);
  const tasks = !isOpen
    ? []
    : job.tasks.filter(
        (task) =>
          task !== head &&
          standing(task.id) === 'open' &&
          !job.usedUp.has(task.id) &&
          unmet(task, standing, rules).length === 0,
      );
  const underWay = [...(head ? [head] : []), ...begun.filter(({ id }) => !outcomes.has(id))];
  const isFree = (task: Task): boolean =>
    underWay.every((one) => one === task || !mayOverlap(one.files, task.files));
  return { commit, plan, tasks: tasks.filter(isFree) };
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

/** Something that a task met ahead of its turn will stop the run when that comes. */
function isStopping({ roster, purse, waits }: Session): boolean {
  return roster.whyShut() !== undefined || purse.whyStopped() !== undefined || waits.wasExceeded();
}

interface Turn {
  readonly task: Task;
  readonly plan: Uint8Array;
  /** It was worked on ahead in this run. */
  readonly isBegun: boolean;
}

/** One task from where the ledger left it to where this run leaves it. */
async function takeUp(
  { task, plan, isBegun }: Turn,
  session: Session,
): Promise<{ readonly outcome: TaskOutcome; readonly commit?: string }> {
  const { journal } = session;
  if (!isBegun) await reopen(task, session);
  const state = await leavingOff(task, session, () => runTask(task, plan, session));
  const outcome = outcomeOf(state, session);
  const why = whyLeft({ state, events: await journal.open(task.id) }, outcome, session);
  await journal.append(task.id, { type: 'task.finished', state: outcome, ...(why && { why }) });
  return { outcome, ...(state.phase === 'passed' && { commit: state.commit }) };
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
