import type { Recorded } from './events.ts';
import { isOfTask } from './history.ts';
import { replay } from './machine.ts';

/**
 * Tasks that have used up their attempts since a run of the plan last came to its end. Whatever died since then, the next run
 * goes on with the same work: it does not begin them anew ("five means five"), and with its end it sets that right.
 */
export function usedUpSinceEnd(history: readonly Recorded[]): ReadonlySet<string> {
  const end = history.findLastIndex(({ event }) => event.type === 'run.finished');
  const mayHaveFailed = history
    .slice(end + 1)
    .filter(
      ({ event }) =>
        event.type === 'rollback.done' ||
        (event.type === 'task.finished' && event.state === 'failed'),
    );
  const hasFailed = (id: string): boolean => {
    const events = history.filter(isOfTask).filter(({ task }) => task === id);
    return replay(events.map(({ event }) => event)).phase === 'failed';
  };
  return new Set(mayHaveFailed.map(({ task }) => task).filter(hasFailed));
}
