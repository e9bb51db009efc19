import { openHouse, planPathIn, type Environment, type House } from '../compose.ts';
import type { Note } from '../core/note.ts';
import type { Recorded } from '../core/events.ts';
import type { PlanPast } from '../core/plan-past.ts';
import type { Mask } from '../core/mask.ts';
import type { Plan } from '../core/plan/plan.ts';
import { Refusal } from '../ports.ts';
import { readPlanFile } from '../run/prepare.ts';
import { ownMask } from './own-mask.ts';
import { readFolded, readPast } from './read-ledger.ts';

/** What commands that only look read. No lock is taken and nothing is recovered (contract, "Exit status"). */
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
  /** What people have asked for and no run has seen to yet. */
  readonly notes: readonly Note[];
  readonly head: string | undefined;
  readonly branch: string | undefined;
  /** Absolute: `skeleton/` in the common git directory, where logs are. */
  readonly stateFolder: string;
  /** Full names of refs, and paths in the state folder, that `gc` took. */
  readonly pruned: ReadonlySet<string>;
  /** Of webhook addresses that are written out in the files of the plan, the project and the user. */
  readonly ownMask: () => Promise<Mask>;
  /** The change from one commit to another, as text, binary files only named; undefined where one of them is gone. */
  readonly diff: (from: string, to: string) => Promise<string | undefined>;
}

/** The same with the history folded, without what gates said: for who shows no more of it. */
export interface FoldedHistory extends Omit<History, 'events'> {
  readonly past: PlanPast;
}

interface Place {
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
}

export async function readHistory(place: Place): Promise<History> {
  return readWith(place, readPast);
}

export async function readFoldedHistory(place: Place): Promise<FoldedHistory> {
  return readWith(place, readFolded);
}

async function readWith<T extends object>(
  { cwd, planPath: asked, env }: Place,
  readIt: (house: House, planPath: string) => Promise<T>,
): Promise<T & Omit<History, 'events' | 'slug' | 'notes' | 'notice'>> {
  const house = await openHouse(cwd, env);
  const planPath = planPathIn(house.facts.top, cwd, asked);
  const looker = await house.looker();
  let mask: Promise<Mask> | undefined;
  return {
    plan: await planAt(() => readPlanFile(looker, planPath)),
    planPath,
    ...(await readIt(house, planPath)),
    head: house.facts.head,
    branch: house.facts.branch,
    stateFolder: house.stateFolder,
    ownMask: () => (mask ??= ownMask({ looker, planPath, env })),
    pruned: await house.pruned(),
    diff: async (from, to) => {
      try {
        return await looker.diff(from, to);
      } catch (error) {
        for (const commit of [from, to])
          if ((await looker.resolve(commit)) === undefined) return undefined;
        throw error;
      }
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
