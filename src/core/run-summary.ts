import type { Recorded, RunCounts, RunEvent } from './events.ts';
import { find, secondsBetween } from './history.ts';
import type { EventOf } from './history.ts';
import type { UsageSum } from './usage.ts';

/** What a history says of a run, less what its attempts used. */
export interface RunPast {
  readonly run: string;
  readonly startedAt: string;
  readonly branch: string;
  readonly base: string;
  /** Exit status; undefined while it goes, or when it died. */
  readonly status: number | undefined;
  readonly why: string | undefined;
  readonly counts: RunCounts | undefined;
  /** From its start to its last event. */
  readonly seconds: number;
  readonly baseline: EventOf<'baseline.finished'>['verdict'] | undefined;
  readonly notices: readonly string[];
  /** The machine, where several share the ledger. */
  readonly host?: string;
}

export interface RunSummary extends RunPast {
  /** Sum over the agents' steps of the attempts that it began. */
  readonly usage: UsageSum;
}

type OfRun = Recorded<RunEvent>;

/** The run of these events; none where its start is not among them. */
export function runOf(events: readonly Recorded[]): readonly RunPast[] {
  const own = events.filter((recorded): recorded is OfRun => recorded.task === '');
  const started = find(own, 'run.started');
  if (started === undefined) return [];
  const finished = find(own, 'run.finished')?.event;
  const { host } = started.event.options;
  return [
    {
      run: started.run,
      startedAt: started.at,
      branch: started.event.branch,
      base: started.event.base,
      status: finished?.status,
      why: finished?.why,
      counts: finished?.counts,
      seconds: secondsBetween(started, events.at(-1)),
      baseline: find(own, 'baseline.finished')?.event.verdict,
      notices: events.flatMap(({ event }) => (event.type === 'notice' ? [event.message] : [])),
      ...(typeof host === 'string' && { host }),
    },
  ];
}
