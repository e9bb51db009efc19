import type { Limited, TaskEvent } from './events.ts';

/** Whom a task waits for, and who was turned away, as its history tells. */

type Throttled = Extract<TaskEvent, { type: 'agent.throttled' }>;

/** What every agent that worked on the task was told last; older histories do not say who it was. */
export function limitsIn(
  events: readonly TaskEvent[],
): readonly (Limited & { readonly agent: string })[] {
  const byAgent = new Map(
    events.filter(isThrottled).flatMap((event) => {
      const { agent } = event;
      return agent === undefined ? [] : [[agent, { ...limitOf(event), agent }] as const];
    }),
  );
  return [...byAgent.values()];
}

/** The limit that a waiting task waits for: the last that was told. */
export function lastLimit(events: readonly TaskEvent[]): Limited | undefined {
  const last = events.findLast(isThrottled);
  return last && limitOf(last);
}

/**
 * The limit that a task waits for; undefined where it does not. Of a limit during an attempt, its void says whether that is
 * waited for. Unlike the machine it takes a part of a history too: reports have that of one run.
 */
export function waitIn(events: readonly TaskEvent[]): Limited | undefined {
  const from = events.findLastIndex(({ type }) => begins.has(type));
  const since = events.slice(from + 1);
  if (events[from]?.type === 'attempt.started') return undefined;
  const limit = lastLimit(since);
  if (limit !== undefined || events[from]?.type !== 'rollback.done') return limit;
  const voided = events
    .slice(0, from)
    .findLast(({ type }) => type === 'attempt.voided' || type === 'attempt.started');
  if (voided?.type !== 'attempt.voided' || voided.until === undefined) return undefined;
  return { ...lastLimit(events), until: voided.until };
}

const begins: ReadonlySet<TaskEvent['type']> = new Set([
  ...(['attempt.started', 'rollback.done', 'task.reopened', 'wait.over'] as const),
]);

function limitOf({ until, agent, why, own }: Throttled): Limited {
  return { until, ...(agent !== undefined && { agent }), ...(why && { why }), ...(own && { own }) };
}

function isThrottled(event: TaskEvent): event is Throttled {
  return event.type === 'agent.throttled';
}

/** `claude is rate limited until 18:52`; `until` as its reader wants to read it. */
export function spellLimited({ agent, why, own }: Limited, until: string): string {
  const who = agent ?? 'the agent';
  if (why === 'overload')
    return `${who} is overloaded or cannot be reached, and is asked again at ${until}`;
  return own === true
    ? `${who} is rate limited, and is asked again at ${until}`
    : `${who} is rate limited until ${until}`;
}
