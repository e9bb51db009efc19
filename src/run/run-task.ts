import { decide, evolve, replay, type Effect, type Outcome, type State } from '../core/machine.ts';
import { attemptId, type Life } from './life.ts';
import type { Task } from '../core/plan/plan.ts';
import type { Session } from './session.ts';
import { judge } from './judge.ts';
import { runAgent } from './run-agent.ts';
import { createCheckpoint, rollBack, startAttempt, wait } from './effects.ts';

type Perform = (life: Life, session: Session) => Promise<readonly Outcome[]>;

const perform: Readonly<Record<Effect, Perform>> = {
  'start-attempt': startAttempt,
  'run-agent': runAgent,
  'run-gates': judge,
  'create-checkpoint': createCheckpoint,
  'roll-back': rollBack,
  wait,
};

/**
 * Works on one task until nothing is left to do for it in this run: passed, failed, or stopped.
 * A stop is taken only on clean ground: before an attempt begins, or after it was rolled back.
 */
export async function runTask(task: Task, plan: Uint8Array, session: Session): Promise<State> {
  const events = await session.journal.open(task.id);
  const gates = session.settings.judged ? await session.ports.gates.find(session.plan, task) : [];
  let state = replay(events);
  for (let effect = decide(state); effect !== undefined; effect = decide(state)) {
    if (effect === 'start-attempt' && session.signal.aborted) break;
    const life: Life = { task, plan, gates, state, events, id: attemptId(task, state, session) };
    for (const event of await perform[effect](life, session)) {
      state = evolve(state, event);
      await session.journal.append(task.id, event);
    }
  }
  return state;
}
