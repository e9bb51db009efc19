import type { TaskOutcome } from '../core/events.ts';
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
  type Board,
} from './board.ts';
import { leavingOff } from './leave-off.ts';
import { reopen } from './reopen.ts';
import type { RunEnd, RunJob } from './run-job.ts';
import { runTask } from './run-task.ts';
import type { Session } from './session.ts';
import { whyLeft } from './why-left.ts';

export type { RunEnd, RunJob } from './run-job.ts';

/**
 * Works through the tasks in the plan's order as far as needs allow (contract, "PLAN.md"): on the branch one at a time, whatever
 * is worked on ahead of its turn meanwhile.
 */
export async function runPlan(
  job: RunJob,
  session: Session,
  slots?: Slots & { readonly base: string },
): Promise<RunEnd> {
  const board = openBoard(job, session);
  const { outcomes } = board;
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
