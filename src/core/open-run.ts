import type { Recorded } from './events.ts';

/** The id of a plan's last run where no end of it is recorded: it goes on, or has died. */
export function openRun(events: readonly Recorded[]): string | undefined {
  const last = events.findLast(({ event }) => event.type === 'run.started')?.run;
  const isOver = events.some(({ run, event }) => run === last && event.type === 'run.finished');
  return isOver ? undefined : last;
}

/** Ids of all runs of a plan of which no end is recorded. */
export function openRuns(events: readonly Recorded[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { run, event } of events) {
    if (event.type === 'run.started') open.add(run);
    if (event.type === 'run.finished') open.delete(run);
  }
  return open;
}
