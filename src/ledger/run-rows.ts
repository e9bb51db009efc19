import type { Recorded } from '../core/events.ts';
import type { RunRow } from '../ports.ts';

/** The runs that their first and last events tell of: of one plan, or of all; newest first. */
export function runRows(
  events: readonly Recorded[],
  paths: ReadonlyMap<string, string>,
  asked: string | undefined,
): RunRow[] {
  const ends = new Map(
    events.flatMap(({ run, at, event }) =>
      event.type === 'run.finished' ? [[run, { at, status: event.status }] as const] : [],
    ),
  );
  return events
    .filter(({ plan, event }) => event.type === 'run.started' && plan === (asked ?? plan))
    .map(({ run, plan, at }) => ({
      run,
      plan,
      planPath: paths.get(plan) ?? '',
      startedAt: at,
      finishedAt: ends.get(run)?.at,
      status: ends.get(run)?.status,
    }))
    .reverse();
}

/** Where a checkpoint or a run's start stands. */
export function commitOf({ event }: Recorded): string | undefined {
  if (event.type === 'checkpoint.created') return event.commit;
  return event.type === 'run.started' ? event.base : undefined;
}
