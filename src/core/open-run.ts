import type { Recorded } from './events.ts';

/** The id of a plan's last run where no end of it is recorded: it goes on, or has died. */
export function openRun(events: readonly Recorded[]): string | undefined {
  const last = events.findLast(({ event }) => event.type === 'run.started')?.run;
  const isOver = events.some(({ run, event }) => run === last && event.type === 'run.finished');
  return isOver ? undefined : last;
}
