/** Which agents their providers turned away, and until when (issue of agents: rate limits and overload). Pure: times are milliseconds since 1970. */

export interface Limit {
  readonly until: number;
  /** Turned away so many times on end. */
  readonly strikes: number;
}

/** By the agent's name. */
export type Limits = ReadonlyMap<string, Limit>;

const FIRST_PAUSE = 60_000;
const LONGEST_PAUSE = 3_600_000;
/** Who is told "now" over and over is asked again after 1, 2, 4 … seconds. */
const LEAST_PAUSE = 1000;
const LONGEST_AGAIN = 300_000;

/** An agent was turned away: until the time that its provider names, else for a minute, then doubling up to an hour. */
export function turnAway(
  limits: Limits,
  agent: string,
  told: { readonly now: number; readonly until?: number | undefined },
): Limits {
  const { now } = told;
  const before = limits.get(agent)?.strikes ?? 0;
  const until =
    told.until !== undefined
      ? Math.max(told.until, now + Math.min(LEAST_PAUSE * 2 ** before, LONGEST_AGAIN))
      : now + Math.min(FIRST_PAUSE * 2 ** before, LONGEST_PAUSE);
  return new Map([...limits, [agent, { until, strikes: before + 1 }]]);
}

/** What an earlier run was told, where this one has not been told anything yet. */
export function recall(limits: Limits, agent: string, until: number): Limits {
  return limits.has(agent) ? limits : new Map([...limits, [agent, { until, strikes: 1 }]]);
}

/** It has worked again: the next pause is short. */
export function letIn(limits: Limits, agent: string): Limits {
  return limits.has(agent) ? new Map([...limits].filter(([name]) => name !== agent)) : limits;
}

/** The first of the agents that is not limited now; else the earliest time at which one of them is not. At least one agent. */
export function nextAgent(
  agents: readonly string[],
  limits: Limits,
  now: number,
): { readonly agent: string } | { readonly until: number } {
  const free = agents.find((name) => (limits.get(name)?.until ?? 0) <= now);
  if (free !== undefined) return { agent: free };
  return { until: Math.min(...agents.map((name) => limits.get(name)?.until ?? now)) };
}
