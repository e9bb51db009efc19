import type { Task } from '../core/plan/plan.ts';
import { isUnderWay, replay, type State } from '../core/machine.ts';
import { Interrupted } from '../ports.ts';
import type { Session } from './session.ts';

/**
 * Work on a task, of which a stop that git holds up (a filter that hangs) may leave an attempt under way: that is told, and
 * recovery goes on from there.
 */
export async function leavingOff(
  task: Task,
  { journal }: Pick<Session, 'journal'>,
  work: () => Promise<State>,
): Promise<State> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    const state = replay(await journal.open(task.id));
    const message = `interrupted while git was at work: ${task.id}#${state.number} is left as it is, and the next skeleton run goes on from there`;
    if (isUnderWay(state)) await journal.append(task.id, { type: 'notice', message });
    return state;
  }
}
