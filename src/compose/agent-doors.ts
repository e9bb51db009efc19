/** The part of the composition root for who works and writes. */
import type { AgentHouse } from '../agent/run-agent.ts';
import type { Config } from '../core/config.ts';
import type { Watcher } from '../exec/watcher.ts';
import type { Agents, Scribe } from '../ports.ts';

export interface AgentDoors {
  readonly agents: (config: Config, sink?: (chunk: Uint8Array) => void) => Promise<Agents>;
  /** The agent that the configuration names, asked for a text. */
  readonly scribe: (config: Config, sink?: (chunk: Uint8Array) => void) => Promise<Scribe>;
}

interface AgentPlaces extends Omit<AgentHouse, 'config' | 'sink' | 'watcher' | 'env'> {
  /** What their steps get, with a configuration. */
  readonly envFor: (config: Config) => AgentHouse['env'];
}

export function agentDoors(
  { envFor, ...places }: AgentPlaces,
  watcher: () => Promise<Watcher>,
): AgentDoors {
  return {
    agents: async (config, sink) => {
      const { openAgents } = await import('../agent/agents.ts');
      return openAgents({ ...places, env: envFor(config), config, sink, watcher: await watcher() });
    },
    scribe: async (config, sink) => {
      const { openScribe } = await import('../agent/scribe.ts');
      return openScribe({ ...places, env: envFor(config), config, sink, watcher: await watcher() });
    },
  };
}
