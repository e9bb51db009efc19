import { readPlans } from './read-ledger.ts';
import { held } from './held.ts';
import type { Opening } from './open-base.ts';
import type { OpenBase } from './run-base.ts';
import { slugOf } from './whole-ledger.ts';
import { Refusal, type Lock } from '../ports.ts';

type OwnTree = Pick<OpenBase, 'workspace' | 'keeper' | 'slug'>;

/**
 * Does a piece of work that changes this work tree where the ledger is shared: with its locks held, and nothing written to that ledger.
 * What a run that died here had under way is for the next run here to clear up; until then it throws Refusal(3), with nothing touched.
 */
export async function withOwnTree<T>(
  { house, planPath }: Pick<Opening, 'house' | 'planPath'>,
  work: (tree: OwnTree) => Promise<T>,
): Promise<T> {
  const slug = await slugOf(house, planPath, await readPlans(house));
  await house.setOddAside();
  const workspace = await house.workspace();
  const locks: Lock[] = [];
  try {
    const door = await house.locks();
    for (const name of [`worktree-${workspace.id}`, `plan-${slug}`])
      locks.push(held(door.acquire(name, `skeleton in ${house.facts.top}`)));
    const keeper = await house.keeper();
    const left = await (await house.traces()).openHere();
    if (left !== undefined || keeper.whereAside() !== undefined)
      throw new Refusal(3, 'a run died here, and nothing was touched', 'skeleton run clears up');
    return await work({ workspace, keeper, slug });
  } finally {
    await house.close();
    for (const lock of locks) lock.release();
  }
}
