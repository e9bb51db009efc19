import type { Recorded } from './events.ts';

/**
 * Ids of the runs that the newest one worked together with, where machines share the ledger: those that went on at a time, and at the
 * same time as they, in a row; the last is the one whose end is that of all. Otherwise the newest alone. Undefined: there is no run.
 * A run that has died is over with its last word. `isAlive`: of a run without an end.
 */
export function lastTeam(
  events: readonly Recorded[],
  isAlive: (run: string) => boolean,
): readonly string[] | undefined {
  const newest = events.findLast(({ event }) => event.type === 'run.started');
  if (newest?.event.type !== 'run.started') return undefined;
  if (typeof newest.event.options['host'] !== 'string') return [newest.run];
  const ends = endsOf(events, isAlive);
  const team: string[] = [];
  let until = -1;
  for (const [at, { run, event }] of events.entries()) {
    if (event.type !== 'run.started') continue;
    if (at > until) team.length = 0;
    team.push(run);
    until = Math.max(until, ends.get(run) ?? at);
  }
  const later = (one: string, other: string): number =>
    (ends.get(one) ?? 0) - (ends.get(other) ?? 0) || team.indexOf(one) - team.indexOf(other);
  const last = [...team].sort(later).at(-1);
  return last === undefined ? undefined : [...team.filter((run) => run !== last), last];
}

/** Where each run ended: its `run.finished`, past the end for one that goes on. */
function endsOf(
  events: readonly Recorded[],
  isAlive: (run: string) => boolean,
): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  const finished = new Set<string>();
  for (const [at, { run, event }] of events.entries()) {
    ends.set(run, at);
    if (event.type === 'run.finished') finished.add(run);
  }
  for (const run of ends.keys())
    if (!finished.has(run) && isAlive(run)) ends.set(run, events.length);
  return ends;
}
