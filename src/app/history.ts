import { openHouse, planPathIn, slugFor, type Environment } from '../compose.ts';
import type { Recorded } from '../core/events.ts';
import type { Plan } from '../core/plan/plan.ts';
import { Refusal } from '../ports.ts';
import { readPlanFile } from '../run/prepare.ts';

/** What `status`, `log` and `show` read. No lock is taken and nothing is recovered (contract, "Exit status"). */
export interface History {
  /** Undefined where there is no plan file (any more): the history stays readable. */
  readonly plan: Plan | undefined;
  readonly planPath: string;
  /** PLAN in the names of tags and refs. */
  readonly slug: string;
  /** Of this plan, in order of writing. */
  readonly events: readonly Recorded[];
  readonly head: string | undefined;
  readonly branch: string | undefined;
  /** Absolute: `skeleton/` in the common git directory, where logs are. */
  readonly stateFolder: string;
  /** The change from one commit to another, as text; binary files only named. */
  readonly diff: (from: string, to: string) => Promise<string>;
}

export async function readHistory(options: {
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
}): Promise<History> {
  const house = await openHouse(options.cwd, options.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const workspace = await house.workspace();
  const ledger = await house.history();
  try {
    const slug = slugFor(planPath, (await ledger?.plans()) ?? new Map());
    return {
      plan: await planAt(() => readPlanFile(workspace, planPath)),
      planPath,
      slug,
      events: (await ledger?.history(slug)) ?? [],
      head: house.facts.head,
      branch: house.facts.branch,
      stateFolder: house.stateFolder,
      diff: (from, to) => workspace.diff(from, to),
    };
  } finally {
    await ledger?.close();
  }
}

async function planAt(read: () => Promise<{ readonly plan: Plan }>): Promise<Plan | undefined> {
  try {
    return (await read()).plan;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
