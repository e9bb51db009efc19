import type { TaskEvent } from './events.ts';
import { sumUsage, type Usage, type UsageSum } from './usage.ts';

type Started = Extract<TaskEvent, { type: 'attempt.started' }>;
type Finished = Extract<TaskEvent, { type: 'agent.finished' }>;

/** How a step ended that only git tells of. */
export const endNotKnown = 'not known';

/** What the agent's step of an attempt took, as far as that is known; undefined where no agent worked. */
export function usageOfStep(started: Started, finished: Finished | undefined): Usage | undefined {
  // Without a log no agent was called: a person's work, or a replay.
  const isCalled = finished?.log !== '' || finished.ended === endNotKnown;
  return started.judge === undefined && isCalled ? (finished?.usage ?? {}) : undefined;
}

/** What a task's attempts took since it was last begun anew, the one under way included; from its events. */
export function spentOn(events: readonly TaskEvent[]): UsageSum {
  const anew = events.findLastIndex((event) => event.type === 'task.reopened' && event.anew);
  const own = events.slice(anew + 1);
  const starts = own.flatMap((event, at) =>
    event.type === 'attempt.started' ? [{ event, at }] : [],
  );
  const steps = starts.flatMap(({ event, at }, nth) => {
    const within = own.slice(at, starts[nth + 1]?.at);
    return usageOfStep(event, within.find(isAgentEnd)) ?? [];
  });
  return sumUsage(steps);
}

function isAgentEnd(event: TaskEvent): event is Finished {
  return event.type === 'agent.finished';
}
