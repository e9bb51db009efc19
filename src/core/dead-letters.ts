import { chargedIn } from './attempt-summary.ts';
import { describeFailure } from './failure.ts';
import type { Summary, TaskSummary } from './summary.ts';

/** A task that failed for good: nobody works on it until a person begins a run anew, or repairs what is in its way. */
export interface DeadLetter {
  readonly task: string;
  readonly title: string;
  /** That counted, over all runs. */
  readonly attempts: number;
  /** The N of its last `TASK#N`; undefined where nothing was tried. */
  readonly last: number | undefined;
  readonly why: string;
  /** ISO 8601, UTC: the end of its last attempt. */
  readonly at: string | undefined;
  readonly run: string | undefined;
  /** The machine of that run, where several share the ledger. */
  readonly host: string | undefined;
  /** Ids of the tasks that wait for it, in the plan's order. */
  readonly waiting: readonly string[];
}

/** The tasks that failed for good, in the plan's order. */
export function deadLettersOf(summary: Summary): readonly DeadLetter[] {
  const hosts = new Map(summary.runs.map(({ run, host }) => [run, host]));
  return summary.tasks
    .filter(({ state }) => state === 'failed')
    .map((task) => {
      const last = task.attempts.at(-1);
      return {
        ...{ task: task.id, title: task.title, attempts: chargedIn(task.attempts) },
        ...{ last: last?.number, why: whyOf(task), run: last?.run },
        at: last && new Date(Date.parse(last.startedAt) + last.seconds * 1000).toISOString(),
        host: last && hosts.get(last.run),
        waiting: waitingFor(task.id, summary.tasks),
      };
    });
}

function whyOf({ attempts, why = '' }: TaskSummary): string {
  const outcome = attempts.at(-1)?.outcome;
  return outcome?.kind === 'rejected' ? describeFailure(outcome.failure) : why;
}

/** Those blocked that need it, or need one of those. */
function waitingFor(task: string, tasks: readonly TaskSummary[]): readonly string[] {
  const causes = new Set([task]);
  const blocked = tasks.filter(({ state }) => state === 'blocked');
  for (let known = 0; known < causes.size;) {
    known = causes.size;
    for (const { id, needs } of blocked) if (needs.some((need) => causes.has(need))) causes.add(id);
  }
  return blocked.map(({ id }) => id).filter((id) => causes.has(id));
}
