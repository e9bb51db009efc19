import type { TaskEvent } from './events.ts';

/** Notes of people to a task's attempts since it last passed, oldest first (docs/steering.md). */
export function toldIn(events: readonly TaskEvent[]): readonly string[] {
  const passed = events.findLastIndex(({ type }) => type === 'checkpoint.created');
  return events
    .slice(passed + 1)
    .flatMap((event) => (event.type === 'task.told' ? [event.text] : []));
}
