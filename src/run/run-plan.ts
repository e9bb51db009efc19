import type { TaskOutcome } from '../core/events.ts';
import type { State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { leaveAhead, openAhead, type Ahead, type Ready, type Slots } from './ahead.ts';
import { mayOverlap } from '../core/overlap.ts';
import { pick, unmet } from '../core/schedule.ts';
import {
  blockNext,
  count,
  giveUp,
  hasOutcome,
  isDone,
  isOver,
  openBoard,
  outcomeOf,
  whyEnded,
} from './board.ts';
import { leavingOff } from './leave-off.ts';
import { reopen } from './reopen.ts';
import type { RunEnd, RunJob } from './run-job.ts';
import { runTask } from './run-task.ts';
import type { Session } from './session.ts';
import type { Away } from './steering.ts';
import { takeIn, type Standpoint } from './take-in.ts';
import { whyLeft } from './why-left.ts';

export type { RunEnd, RunJob } from './run-job.ts';

/**
 * Works through the tasks in the plan's order as far as needs allow (contract, "PLAN.md"): on the branch one at a time, whatever
 * is worked on ahead of its turn meanwhile.
 */
export async function runPlan(job: RunJob, session: Session, slots?: Slots): Promise<RunEnd> {
  const board = openBoard(job, session);
  const { plan, base: commit = '' } = job;
  const line: Line = { job, board, session, plan, commit, isUnfit: false, head: undefined };
  const ahead = slots && openAhead(slots, (begun) => readyIn(line, begun));
  try {
    await inTurns(line, ahead);
  } finally {
    // What went wrong matters more than what cannot be written down because of it.
    await ahead?.close();
  }
  await leaveAll((await ahead?.close()) ?? [], line);
  return endOf(line);
}

/** Where the run is. */
interface Line extends Standpoint {
  /** Whose turn it is. */
  head: Task | undefined;
}

/** Of tasks that were worked on ahead, those whose turn never came. */
async function leaveAll(begun: readonly Task[], { board, session }: Line): Promise<void> {
  for (const task of begun)
    if (!board.outcomes.has(task.id) && (await leaveAhead(task, session)) === 'failed')
      board.outcomes.set(task.id, 'failed');
}

function endOf({ board: { outcomes }, session, isUnfit }: Line): RunEnd {
  const isStopped = isUnfit && !session.signal.aborted;
  const why = isStopped ? 'plan-changed' : whyEnded(outcomes, session);
  return { why, counts: count(session, outcomes) };
}

async function inTurns(line: Line, ahead: Ahead | undefined): Promise<void> {
  for (;;) {
    const task = await nextTask(line, ahead);
    line.head = task;
    if (task === undefined) return;
    const { outcome, commit } = await takeTurn(task, line, ahead);
    if (outcome !== undefined) line.board.outcomes.set(task.id, outcome);
    if (isDone(outcome)) line.plan = line.session.tick(line.plan, task.id);
    if (commit !== undefined) line.commit = commit;
  }
}

/** Once what people ask for is taken in, and the run is not paused; undefined where none is left. */
async function nextTask(line: Line, ahead: Ahead | undefined): Promise<Task | undefined> {
  for (;;) {
    const isPaused = await takeIn(line, (id) => ahead?.has({ id }) === true);
    const { job, board, session } = line;
    const task = mayGoOn(line) ? pick(job.tasks, board.standing, board.rules) : undefined;
    if (task === undefined) {
      const isStopped = line.isUnfit || hasOutcome(board.outcomes, 'stopped');
      if (session.signal.aborted || isStopped) return undefined;
      if (!(await blockNext(job.tasks, board, session))) return undefined;
    } else if (isPaused) await session.steering?.waitWhilePaused(session.signal);
    else return task;
  }
}

function mayGoOn({ board, session, isUnfit }: Line): boolean {
  return !session.signal.aborted && !isOver(board.outcomes, session) && !isUnfit;
}

async function takeTurn(
  task: Task,
  { job, plan, session }: Line,
  ahead: Ahead | undefined,
): ReturnType<typeof takeUp> {
  if (job.usedUp.has(task.id)) return { outcome: await giveUp(task, session) };
  if (ahead === undefined) return takeUp({ task, plan, isBegun: false }, session);
  const isBegun = ahead.has(task);
  const seat = await ahead.turn(task);
  ahead.fill();
  return takeUp({ task, plan, isBegun }, { ...session, seat });
}

/** What may be worked on beside the task whose turn it is: it waits for nothing, and names no file that one under way names. */
function readyIn({ job, board, plan, commit, head, session }: Line, begun: readonly Task[]): Ready {
  const { standing, rules, outcomes } = board;
  const isHalted = session.signal.aborted || session.steering?.isBehind() === true;
  const isOpen = !isHalted && !isOver(outcomes, session) && !isStopping(session);
  const tasks = !isOpen
    ? []
    : job.tasks.filter(
        (task) =>
          task.id !== head?.id &&
          standing(task.id) === 'open' &&
          !job.usedUp.has(task.id) &&
          unmet(task, standing, rules).length === 0,
      );
  const underWay = [...(head ? [head] : []), ...begun.filter(({ id }) => !outcomes.has(id))];
  const isFree = (task: Task): boolean =>
    underWay.every((one) => one.id === task.id || !mayOverlap(one.files, task.files));
  return { commit, plan, read: session.plan, tasks: tasks.filter(isFree) };
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
): Promise<{ readonly outcome: TaskOutcome | undefined; readonly commit?: string }> {
  const { journal } = session;
  if (!isBegun) await reopen(task, session);
  const state = await leavingOff(task, session, () => runTask(task, plan, session));
  const away = awayFrom(task, state, session);
  if (away === 'edited') return { outcome: undefined };
  const outcome = away === 'skip' ? 'skipped' : outcomeOf(state, session);
  const why = whyLeft({ state, events: await journal.open(task.id) }, outcome, session);
  await journal.append(task.id, { type: 'task.finished', state: outcome, ...(why && { why }) });
  return { outcome, ...(state.phase === 'passed' && { commit: state.commit }) };
}

/** Why its next attempt was not begun, where it would have been. */
function awayFrom(task: Task, state: State, { steering, signal }: Session): Away | undefined {
  if (state.phase !== 'pending' || signal.aborted) return undefined;
  return steering?.whyAway(task.id);
}
