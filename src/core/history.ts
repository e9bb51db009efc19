import type { Event, Recorded, TaskEvent } from './events.ts';

/** Questions to a list of recorded events, in order of writing. */

export type EventOf<T extends Event['type']> = Extract<Event, { type: T }>;
export type OfTask = Recorded<TaskEvent>;

export function isOfTask(recorded: Recorded): recorded is OfTask {
  return recorded.task !== '';
}

export function find<T extends Event['type']>(
  events: readonly Recorded[],
  type: T,
): Recorded<EventOf<T>> | undefined {
  return events.find(hasType(type));
}

export function findLast<T extends Event['type']>(
  events: readonly Recorded[],
  type: T,
): Recorded<EventOf<T>> | undefined {
  return events.findLast(hasType(type));
}

function hasType<T extends Event['type']>(
  type: T,
): (recorded: Recorded) => recorded is Recorded<EventOf<T>> {
  return (recorded): recorded is Recorded<EventOf<T>> => recorded.event.type === type;
}

/** Groups in the order of their first member; members keep theirs. */
export function groupBy<T>(
  items: readonly T[],
  key: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Seconds on the wall clock; never negative, 0 where a time cannot be read or the clock was set back. */
export function secondsBetween(
  from: Pick<Recorded, 'at'>,
  to: Pick<Recorded, 'at'> | undefined,
): number {
  const milliseconds = Date.parse(to?.at ?? from.at) - Date.parse(from.at);
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds / 1000) : 0;
}
