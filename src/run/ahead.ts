import { isUnderWay, replay } from '../core/machine.ts';
import type { Plan, Task } from '../core/plan/plan.ts';
import { LostTree, leaveLost } from './leave-lost.ts';
import { leavingOff } from './leave-off.ts';
import { reopen } from './reopen.ts';
import { runTask } from './run-task.ts';
import { openSeats, type Seats } from './seats.ts';
import type { Session } from './session.ts';

/** A work tree of its own for one task at a time (architecture.md, "Many at once"). */
export interface Slot {
  /** Lays out the commit, whatever the last task left; gives the session for the next, on that seat. */
  readonly prepare: (commit: string, seat: number) => Promise<Session>;
  /** Whether its folder is no longer there: an agent in another may have taken it away. Then it is of no more use. */
  readonly isGone: () => boolean;
}

/** Where tasks are worked on beside the branch. */
export interface Slots {
  /** At most so many tasks are worked on at once, the one on the branch included. */
  readonly jobs: number;
  /** Throws Refusal(3) where slots cannot be made here; nothing is touched. */
  readonly assertReady: () => Promise<void>;
  /** Slot 1, 2, 3…; made when it is first asked for, or is gone. `stop` becomes its session's. */
  readonly open: (nth: number, stop: AbortSignal) => Promise<Slot>;
}

/** What may be begun now: the commit and the plan that it begins with, and tasks in the order of their turns. */
export interface Ready {
  readonly commit: string;
  readonly plan: Uint8Array;
  /** What the plan says. */
  readonly read: Plan;
  readonly tasks: readonly Task[];
}

/** Tasks that are worked on ahead of their turn. */
export interface Ahead {
  /** Begins as many tasks as there is room for. */
  readonly fill: () => void;
  /** Whether a task was begun ahead in this run. */
  readonly has: (task: Pick<Task, 'id'>) => boolean;
  /**
   * The turn of a task: resolves, with its seat, once its work ahead is done and there is room for it on the branch; it goes
   * before all that have not begun. Throws what went wrong with its work ahead.
   */
  readonly turn: (task: Task) => Promise<number>;
  /** Ends what is under way, and waits for it; gives the tasks that were begun. */
  readonly close: () => Promise<readonly Task[]>;
}

/**
 * Up to `jobs` tasks at once. A task that passes its gates here is kept, and its turn on the branch comes in the order of the
 * plan, so that what becomes of the branch does not depend on who was done first. Whoever works has a seat of its own, 0…jobs-1;
 * the one on the branch keeps it until the next turn has to be waited for.
 */
export function openAhead(slots: Slots, ready: (begun: readonly Task[]) => Ready): Ahead {
  const crew: Crew = {
    ...{ slots, ready, stop: new AbortController(), seats: openSeats(slots.jobs) },
    ...{ begun: new Map(), folders: [], made: 0, onBranch: undefined, heir: undefined },
  };
  return {
    fill: () => fill(crew),
    has: ({ id }) => crew.begun.has(id),
    turn: (task) => takeTurn(crew, task),
    close: async () => {
      crew.stop.abort();
      const all = [...crew.begun.values()];
      await Promise.allSettled(all.map((one) => one.work));
      return all.map(({ task }) => task);
    },
  };
}

/** Who works, and where. */
interface Crew {
  readonly slots: Slots;
  readonly ready: (begun: readonly Task[]) => Ready;
  readonly stop: AbortController;
  readonly seats: Seats;
  readonly begun: Map<string, Begun>;
  /** Slots that nobody works in; so many were made. */
  readonly folders: number[];
  made: number;
  /** The seat of the task whose turn it is. */
  onBranch: number | undefined;
  /** The task whose turn is waited for: its seat becomes that of the branch. */
  heir: string | undefined;
}

function fill(crew: Crew): void {
  const { begun, seats, stop } = crew;
  while (!stop.signal.aborted && seats.isFree()) {
    const now = crew.ready([...begun.values()].map((one) => one.task));
    const task = now.tasks.find(({ id }) => !begun.has(id));
    if (task === undefined) return;
    const work = workInSlot(crew, task, now);
    // Its turn may never come, or come late: then this is where it is caught.
    work.catch(() => undefined);
    begun.set(task.id, { task, work, isDone: false });
  }
}

async function workInSlot(crew: Crew, task: Task, { commit, plan, read }: Ready): Promise<void> {
  const seat = crew.seats.take();
  const nth = crew.folders.shift() ?? (crew.made += 1);
  try {
    const { slot, session } = await openedSlot(crew, nth, { commit, seat });
    await workAhead(task, plan, { slot, session: { ...session, plan: read } });
  } finally {
    crew.folders.push(nth);
    const own = crew.begun.get(task.id);
    if (own !== undefined) own.isDone = true;
    if (crew.heir === task.id) crew.onBranch = seat;
    else giveUp(crew, seat);
  }
}

interface Opened {
  readonly slot: Slot;
  readonly session: Session;
}

/** Once more where the slot is taken away meanwhile. */
async function openedSlot(
  { slots, stop }: Crew,
  nth: number,
  { commit, seat }: { readonly commit: string; readonly seat: number },
): Promise<Opened> {
  const first = await slots.open(nth, stop.signal);
  try {
    return { slot: first, session: await first.prepare(commit, seat) };
  } catch (error) {
    if (!first.isGone()) throw error;
  }
  const slot = await slots.open(nth, stop.signal);
  return { slot, session: await slot.prepare(commit, seat) };
}

function giveUp(crew: Crew, seat: number): void {
  crew.seats.release(seat);
  fill(crew);
}

async function takeTurn(crew: Crew, { id }: Task): Promise<number> {
  const ahead = crew.begun.get(id);
  if (ahead?.isDone === false) {
    crew.heir = id;
    const left = crew.onBranch;
    crew.onBranch = undefined;
    if (left !== undefined) giveUp(crew, left);
  }
  await ahead?.work;
  crew.heir = undefined;
  return (crew.onBranch ??= await crew.seats.wait());
}

interface Begun {
  readonly task: Task;
  readonly work: Promise<void>;
  isDone: boolean;
}

/** What a slot that is taken away held is lost, and the task begins anew at its turn. */
async function workAhead(task: Task, plan: Uint8Array, { slot, session }: Opened): Promise<void> {
  await reopen(task, session);
  try {
    await leavingOff(task, session, () => runTask(task, plan, session));
  } catch (error) {
    if (!(error instanceof LostTree) && !slot.isGone()) throw error;
    await leaveLost(task, session);
  }
}

/** Writes down what a task that was begun ahead is left at where its turn never came; an attempt that is under way has no end yet. */
export async function leaveAhead(
  task: Task,
  { journal }: Pick<Session, 'journal'>,
): Promise<'failed' | 'stopped' | undefined> {
  const state = replay(await journal.open(task.id));
  if (isUnderWay(state)) return undefined;
  const outcome = state.phase === 'failed' ? 'failed' : 'stopped';
  const why = outcome === 'failed' ? {} : { why: 'the run ended before its turn' };
  await journal.append(task.id, { type: 'task.finished', state: outcome, ...why });
  return outcome;
}
