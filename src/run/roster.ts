import type { Limited } from '../core/events.ts';
import { letIn, nextAgent, recall, turnAway, type Limits } from '../core/limits.ts';
import type { Task } from '../core/plan/plan.ts';
import type { Agent, Agents, Clock } from '../ports.ts';

/** An agent that is not asked before a time. */
export type Away = Limited & { readonly agent: string };

/** Who works on a task now, and whom its provider has turned away. What it knows of limits ends with the run. */
export interface Roster {
  /** For the next attempt; or, where all that may work on the task are limited, the one that is asked first. */
  next(task: Task): Agent | Away;
  /** The one that has begun an attempt of the task. */
  named(task: Task, name: string): Agent;
  /** Notes that it was turned away, and until when its provider says that; gives what follows. */
  turnAway(name: string, told: Pick<Limited, 'why'> & { readonly until?: string }): Away;
  /** Notes what an earlier run was told: it holds until this one asks. */
  recall(earlier: readonly Away[]): void;
  /** Notes that it has worked. */
  letIn(name: string): void;
  /** Notes that an agent cannot work until a person mends it (signed out, disabled, no such model), and how. */
  shut(why: string): void;
  /** Undefined: none is. */
  whyShut(): string | undefined;
  /** The same limits, for the same agents in another work tree. */
  beside(agents: Agents): Roster;
  /** Notes that a wait until this time is over, whatever a clock that was set back says. */
  waited(until: string): void;
}

export function openRoster(agents: Agents, clock: Pick<Clock, 'now'>): Roster {
  let shut: string | undefined;
  let reached = 0;
  const now = (): number => Math.max(reached, Date.parse(clock.now()));
  const { next, turnAway, recall, letIn } = openLimits(now);
  const common = {
    ...{ turnAway, recall, letIn },
    shut: (why: string) => {
      shut = why;
    },
    whyShut: () => shut,
    waited: (until: string) => {
      reached = Math.max(reached, Date.parse(until));
    },
  };
  const rosterOf = (own: Agents): Roster => {
    const named = namedIn(own);
    return {
      ...common,
      named,
      next: (task) => {
        const found = next(own.of(task).map((agent) => agent.name));
        return typeof found === 'string' ? named(task, found) : found;
      },
      beside: rosterOf,
    };
  };
  return rosterOf(agents);
}

function namedIn(agents: Agents): Roster['named'] {
  return (task, name) => {
    const agent = agents.of(task).find((one) => one.name === name);
    if (agent === undefined) throw new Error(`${name} does not work on ${task.id}`);
    return agent;
  };
}

interface KnownLimits extends Pick<Roster, 'turnAway' | 'recall' | 'letIn'> {
  /** The name of the first that is not limited; else the one that is asked first. */
  readonly next: (names: readonly string[]) => string | Away;
}

function openLimits(now: () => number): KnownLimits {
  let limits: Limits = new Map();
  const told = new Map<string, Pick<Limited, 'why' | 'own'>>();
  const asked = new Set<string>();
  const note = (agent: string, { why, own }: Pick<Limited, 'why' | 'own'>): void => {
    told.set(agent, { ...(why && { why }), ...(own && { own }) });
  };
  const away = (agent: string): Away => {
    const until = new Date(limits.get(agent)?.until ?? now()).toISOString();
    return { agent, until, ...told.get(agent) };
  };
  return {
    next: (names) => {
      const next = nextAgent(names, limits, now());
      if ('agent' in next) return next.agent;
      return away(names.find((name) => limits.get(name)?.until === next.until) ?? '');
    },
    turnAway: (name, { until, why }) => {
      asked.add(name);
      const time = until === undefined ? undefined : Date.parse(until) || now();
      limits = turnAway(limits, name, { now: now(), until: time });
      note(name, { ...(why && { why }), ...(until === undefined && { own: true }) });
      return away(name);
    },
    recall: (earlier) => {
      for (const one of earlier.filter(({ agent }) => !asked.has(agent))) {
        limits = recall(limits, one.agent, Date.parse(one.until) || 0);
        note(one.agent, one);
      }
    },
    letIn: (name) => {
      asked.add(name);
      limits = letIn(limits, name);
    },
  };
}
