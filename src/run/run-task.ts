import { aheadWork } from '../core/ahead.ts';
import type { Snapshot } from '../core/events.ts';
import { StaleWrite } from '../ports.ts';
import { LostTree } from './leave-lost.ts';
import { isUnderWay, type Effect, type Outcome, type State } from '../core/machine.ts';
import { foldTask, type Course } from './fold-task.ts';
import type { Life } from './life.ts';
import type { Task } from '../core/plan/plan.ts';
import type { Session } from './session.ts';
import { judge } from './judge.ts';
import { runAgent } from './run-agent.ts';
import { appendAll, withStop } from './with-stop.ts';
import { createCheckpoint, rollBack, startAttempt } from './effects.ts';
import { openSteps, stepIn } from './stages.ts';
import { wait } from './wait.ts';

type Perform = (life: Life, session: Session) => Promise<readonly Outcome[]>;

const perform: Readonly<Record<Effect, Perform>> = {
  'start-attempt': startAttempt,
  'run-agent': runAgent,
  'run-gates': judge,
  'create-checkpoint': createCheckpoint,
  'roll-back': rollBack,
  wait,
};

/** Effects that a stop cuts off; the others are short, and are finished. */
const stoppable: ReadonlySet<Effect> = new Set(['run-agent', 'run-gates']);

/**
 * Works on one task until nothing is left to do for it in this run: passed, failed, or stopped.
 * A stop is taken only on clean ground: before an attempt begins, or after it was rolled back.
 */
export async function runTask(task: Task, plan: Uint8Array, session: Session): Promise<State> {
  const gates = session.settings.judged ? await session.ports.gates.find(session.plan, task) : [];
  const steps = await openSteps(task, gates, session);
  const course: Course = {
    stepIn: (state, events) => stepIn(steps, state, events),
    isHeldBack: async (effect, life, nth) =>
      isAfterTurn(effect, { ...life, nth }, session) ||
      isHeldBack(effect, life, session) ||
      (await isSteeredAway(effect, life, session)) ||
      // A pause may have taken hours.
      isHeldBack(effect, life, session),
    carryOut: (effect, life) => carryOut(effect, life, session),
  };
  return foldTask({ task, plan, gates }, course, session);
}

/** A turn is one attempt that judges: whatever comes of it, another worker may have the next. */
function isAfterTurn(
  effect: Effect,
  { state, nth }: { readonly state: State; readonly nth: number },
  { onTurn }: Session,
): boolean {
  if (onTurn === undefined || effect !== 'start-attempt') return false;
  return nth > 0 || judgedIn(state) === undefined;
}

/** Nothing begins that may not, and nothing is waited for that could not begin then. */
function isHeldBack(
  effect: Effect,
  { task, state, events }: Pick<Life, 'task' | 'state' | 'events'>,
  session: Session,
): boolean {
  if (effect === 'start-attempt' && !mayStart(task, state, session)) return true;
  // Its turn comes on the branch.
  if (session.isAhead === true && aheadWork(events, judgedIn(state)) !== undefined) return true;
  const isFree = state.phase === 'pending' && state.judge !== undefined;
  if (isFree || (effect !== 'start-attempt' && effect !== 'wait')) return false;
  return session.purse.refuses(events);
}

/** What people ask for is heard before each attempt, when the tree is clean. */
async function isSteeredAway(
  effect: Effect,
  { task, plan, state, events }: Pick<Life, 'task' | 'plan' | 'state' | 'events'>,
  { steering, signal, isAhead, ports }: Session,
): Promise<boolean> {
  if (steering === undefined || effect !== 'start-attempt') return false;
  // Elsewhere than on this run's own branch, other work moves it.
  const isMoved = isAhead === true || ports.ledger.isShared;
  const known = isMoved ? undefined : plan;
  const hasPassedAhead = aheadWork(events, judgedIn(state)) !== undefined;
  const place = { task: task.id, signal, plan: known, hasPassedAhead };
  return (await steering.stand(place)) !== undefined;
}

function judgedIn(state: State): Snapshot | undefined {
  return state.phase === 'pending' ? state.judge : undefined;
}

function mayStart(task: Task, { charged }: State, { settings, signal }: Session): boolean {
  return !signal.aborted && charged < (task.config.attempts ?? settings.attempts);
}

async function carryOut(effect: Effect, life: Life, session: Session): Promise<readonly Outcome[]> {
  refuseLost(session);
  try {
    if (stoppable.has(effect)) return await withStop(life, session, unlessLost(effect));
    return await appendAll(life, session, await unlessLost(effect)(life, session));
  } catch (error) {
    if (stoppable.has(effect) && !(error instanceof StaleWrite)) await leaveClean(life, session);
    throw error;
  }
}

/** What judges or keeps would lay it out again as best it can, and take that for the agent's doing. */
function refuseLost({ isLost }: Session): void {
  if (isLost?.() === true) throw new LostTree();
}

/** Of an effect whose tree went while it was performed, nothing is to be believed. */
function unlessLost(effect: Effect): Perform {
  return async (life, session) => {
    const outcomes = await perform[effect](life, session);
    refuseLost(session);
    return outcomes;
  };
}

/**
 * Something is wrong beyond this attempt (a full disk, a state folder that is gone): the tree is not left with our tick or
 * the agent's half work in it, as far as that still goes. What went wrong is told by who caught it. A checkpoint that has been
 * decided on is the next run's to finish: its files lie in the tree already.
 */
async function leaveClean({ state, id }: Life, session: Session): Promise<void> {
  if (!isUnderWay(state)) return;
  await session.ports.workspace.rollBack(id).catch(() => undefined);
}
