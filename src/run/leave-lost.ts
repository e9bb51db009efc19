import { evolve, isUnderWay, replay, type Outcome } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { taskSlug } from '../core/refs.ts';
import type { Session } from './session.ts';

/** The work tree of what is worked on ahead of its turn is no longer there. */
export class LostTree extends Error {}

/**
 * Ends an attempt whose work tree was taken away under it, by an agent that works beside it: nothing is left to keep or to put
 * back, and it costs the task nothing.
 */
export async function leaveLost(
  task: Task,
  { journal, ports }: Pick<Session, 'journal' | 'ports'>,
): Promise<void> {
  let state = replay(await journal.open(task.id));
  if (isUnderWay(state)) await ports.processes.endByToken(state.token);
  while (isUnderWay(state)) {
    const event: Outcome =
      state.phase === 'rolling-back'
        ? { type: 'rollback.done', snapshot: { ref: '', commit: state.base } }
        : { type: 'attempt.voided', why: 'lost' };
    state = evolve(state, event);
    await journal.append(task.id, event);
  }
  if (state.phase === 'stopped')
    await journal.append(task.id, { type: 'task.reopened', anew: false });
  const { number } = state;
  await ports.workspace.end({ plan: journal.plan, task: taskSlug(task.id), id: task.id, number });
  const message = `the work tree of ${task.id}#${number} was removed or moved while it was at work, and what it had made is not kept; the task begins anew at its turn`;
  await journal.append(task.id, { type: 'notice', message });
}
