import type { BudgetConfig, Config, EnvConfig } from './config.ts';
import { configKeys, propertyOf } from './keys.ts';

/** Layers from the weakest to the strongest, key by key: what a later one says replaces all of what an earlier one says. */
export function mergeConfig(...layers: readonly Config[]): Config {
  return layers.reduce<Config>((weaker, stronger) => {
    // The ways to name an agent exclude each other, and a model is one of its agent: the stronger layer's choice is the whole choice.
    const { agent, agentCommand, agentApi, model, models, ...rest } = weaker;
    const chosen = stronger.agent ?? stronger.agentCommand ?? stronger.agentApi;
    return { ...(chosen === undefined ? withoutModels(weaker, stronger) : rest), ...stronger };
  }, {});
}

/** `model` and `models` are one choice too. */
function withoutModels(weaker: Config, stronger: Config): Config {
  if (stronger.model === undefined && stronger.models === undefined) return weaker;
  const { model, models, ...rest } = weaker;
  return rest;
}

const ceilings = configKeys.filter(({ ceiling }) => ceiling).map(({ name }) => propertyOf(name));

/**
 * Limits of the user's own file are ceilings: of a plan's, a project's or a task's configuration each limit comes down to
 * the user's (contract, "Commands"). Flags are merged after this, because they may widen.
 */
export function withCeilings<Layer extends object>(config: Layer, user: Config): Layer {
  const limits = new Map<string, unknown>(Object.entries(config));
  const most = new Map<string, unknown>(Object.entries(user));
  const lowered = ceilings.flatMap((key) => {
    const [value, ceiling] = [limits.get(key), most.get(key)];
    if (value === undefined || ceiling === undefined) return [];
    return [[key, lowest(key, value, ceiling)] as const];
  });
  return { ...config, ...Object.fromEntries(lowered) };
}

function lowest(key: string, value: unknown, ceiling: unknown): unknown {
  if (typeof value === 'number' && typeof ceiling === 'number') return Math.min(value, ceiling);
  if (key === 'env') return lowestEnv(value as EnvConfig, ceiling as EnvConfig);
  if (key === 'budget') return lowestBudget(value as BudgetConfig, ceiling as BudgetConfig);
  // Of two words, the stricter one holds.
  return ceiling === false || ceiling === 'configured' ? ceiling : value;
}

function lowestEnv({ allow, deny = [], ...own }: EnvConfig, ceiling: EnvConfig): EnvConfig {
  const notSecret = own.notSecret ?? ceiling.notSecret;
  return {
    ...((allow ?? ceiling.allow) && { allow: allow ?? ceiling.allow }),
    ...(ceiling.allow && { within: ceiling.allow }),
    ...(notSecret && { notSecret }),
    deny: [...deny, ...(ceiling.deny ?? [])],
  };
}

/** Sums for different spans cannot be compared: then the user's own is the whole budget. */
function lowestBudget(budget: BudgetConfig, ceiling: BudgetConfig): BudgetConfig {
  if ((budget.per ?? 'run') !== (ceiling.per ?? 'run')) return ceiling;
  const usd = Math.min(budget.usd ?? Infinity, ceiling.usd ?? Infinity);
  const tokens = Math.min(budget.tokens ?? Infinity, ceiling.tokens ?? Infinity);
  return {
    ...budget,
    ...(Number.isFinite(usd) && { usd }),
    ...(Number.isFinite(tokens) && { tokens }),
  };
}
