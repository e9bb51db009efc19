import type { Config } from '../../src/core/config.ts';
import type { Plan } from '../../src/core/plan/plan.ts';
import { settingsOf } from '../../src/core/settings.ts';
import type { Agents } from '../../src/ports.ts';
import { openJournal } from '../../src/run/journal.ts';
import { openPurse } from '../../src/run/purse.ts';
import { openRoster } from '../../src/run/roster.ts';
import { runPlan, type RunEnd } from '../../src/run/run-plan.ts';
import { openWaitBudget } from '../../src/run/wait-budget.ts';
import type { World } from './memory-ports.ts';

/** One run through all tasks of a plan; by other agents than the world's own where they are given. */
export function runIn(
  world: World,
  plan: Plan,
  config: Config = {},
  agents: Agents = world.ports.agents,
): Promise<RunEnd> {
  const ports = { ...world.ports, agents };
  const settings = settingsOf(config);
  const onEvent = (): void => undefined;
  const { signal } = new AbortController();
  return runPlan(
    {
      ...{ tasks: plan.tasks, plan: new Uint8Array() },
      ...{ lifted: new Set<string>(), usedUp: new Set<string>() },
    },
    {
      ...{ ports, plan, settings, signal, highestProof: 0 },
      journal: openJournal({ ledger: ports.ledger, locks: [], run: 'r', plan: 'plan', onEvent }),
      waits: openWaitBudget(settings.maxWait),
      purse: openPurse(settings.budget),
      roster: openRoster(agents, ports.clock),
      isInterrupted: () => false,
      onProgress: () => undefined,
      tick: (bytes) => bytes,
      differsInMarksOnly: () => false,
      logFolder: (task, number) => `logs/${task}/${number}`,
    },
  );
}
