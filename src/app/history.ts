import { openHouse, planPathIn, type Environment } from '../compose.ts';
import type { Recorded } from '../core/events.ts';
import type { Plan } from '../core/plan/plan.ts';
import { Refusal } from '../ports.ts';
import { readPlanFile } from '../run/prepare.ts';
import { readPast } from './read-ledger.ts';

/** What `status`, `log` and `show` read. No lock is taken and nothing is recovered (contract, "Exit status"). */
export interface History {
  /** Undefined where there is no plan file (any more): the history stays readable. */
  readonly plan: Plan | undefined;
  readonly planPath: string;
  /** PLAN in the names of tags and refs. */
  readonly slug: string;
  /** Of this plan, in order of writing. */
  readonly events: readonly Recorded[];
  /** That the ledger is damaged or gone, and all this is known from git alone: one line; undefined where all is well. */
  readonly notice: string | undefined;
  readonly head: string | undefined;
  readonly branch: string | undefined;
  /** Absolute: `skeleton/` in the common git directory, where logs are. */
  readonly stateFolder: string;
  /** Full names of refs, and paths in the state folder, that `gc` took. */
  readonly pruned: ReadonlySet<string>;
  /** The change from one commit to another, as text, binary files only named; undefined where one of them is gone. */
  readonly diff: (from: string, to: string) => Promise<string | undefined>;
}

export async function readHistory(options: {
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
}): Promise<History> {
  const house = await openHouse(options.cwd, options.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const workspace = await house.workspace();
  return {
    plan: await planAt(() => readPlanFile(workspace, planPath)),
    planPath,
    ...(await readPast(house, planPath)),
    head: house.facts.head,
    branch: house.facts.branch,
    stateFolder: house.stateFolder,
    pruned: await house.pruned(),
    diff: async (from, to) => {
      for (const commit of [from, to])
        if ((await workspace.resolve(commit)) === undefined) return undefined;
      return workspace.diff(from, to);
    },
  };
}

async function planAt(read: () => Promise<{ readonly plan: Plan }>): Promise<Plan | undefined> {
  try {
    return (await read()).plan;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
