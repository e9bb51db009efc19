import type { Config } from './config.ts';

/** What a trigger asks for: the same parts, the same trigger (`--once` without a key). */
export interface OnceParts {
  /** Relative to the top of the work tree. */
  readonly planPath: string;
  /** Those that are to be done, in order, as the plan has them. */
  readonly tasks: readonly { readonly id: string; readonly text: string }[];
  /** Id of the tree on which the work begins. */
  readonly tree: string;
  readonly config: Config;
}

/** The text whose SHA-256 is the key: JSON, in which no part can pass for the end of another. */
export function onceText({ planPath, tasks, tree, config }: OnceParts): string {
  const { agent, agentCommand, agentApi, model, models, fallback } = config;
  const { permissions, retry, prompt, env, push } = config;
  const who = { agent, agentCommand, agentApi, model, models, fallback };
  const how = { permissions, retry, prompt, env, push };
  const named = tasks.map(({ id, text }) => [id, text]);
  return JSON.stringify(['skeleton once 1', planPath, named, tree, sorted({ ...who, ...how })]);
}

/** In which order keys were written says nothing; what is not set is not there. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

/** A checkpoint, and the commit that its attempt began at. */
export interface Step {
  readonly commit: string;
  readonly base: string;
}

/**
 * Where the work that HEAD has of ours began: under all checkpoints on top of one another. What was asked for there is what the
 * trigger asks for again, whatever of it has passed since.
 */
export function beginningOf(head: string, steps: readonly Step[]): string {
  const bases = new Map(steps.map(({ commit, base }) => [commit, base]));
  const seen = new Set<string>();
  let at = head;
  for (let base = bases.get(at); base !== undefined && !seen.has(at); base = bases.get(at)) {
    seen.add(at);
    at = base;
  }
  return at;
}
