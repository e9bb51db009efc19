import type { Config } from './config.ts';
import { configKeys, propertyOf } from './keys.ts';

/** Layers from the weakest to the strongest, key by key: what a later one says replaces all of what an earlier one says. */
export function mergeConfig(...layers: readonly Config[]): Config {
  return layers.reduce<Config>((weaker, stronger) => {
    // An agent by name and one by command exclude each other: the stronger layer's choice is the whole choice.
    const { agent, agentCommand, ...rest } = weaker;
    const chosen = stronger.agent !== undefined || stronger.agentCommand !== undefined;
    return { ...(chosen ? rest : weaker), ...stronger };
  }, {});
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
    const tooHigh = typeof value === 'number' && typeof ceiling === 'number' && value > ceiling;
    return tooHigh ? [[key, ceiling] as const] : [];
  });
  return { ...config, ...Object.fromEntries(lowered) };
}
