import { openHouse } from '../compose.ts';
import { Interrupted, Refusal } from '../ports.ts';
import { carryOut, type RunResult } from './carry-out.ts';
import { tell } from './open-base.ts';
import type { RunBase } from './run-base.ts';

/**
 * Works on a branch of its own (`--branch`): it is made, or switched to, before the run. Where the run then does not start,
 * everything is as before (contract, "Exit status": with 2 and 3 nothing was touched).
 */
export async function runOnBranch(
  base: RunBase,
  branch: string,
  usedUp: ReadonlySet<string>,
): Promise<RunResult> {
  const switched = await base.keeper.switchBranch(base.slug, branch);
  if (!switched.moved) return carryOut(base, usedUp);
  const house = await openHouse(base.house.facts.top, base.io.env);
  try {
    const there = { ...base, house, workspace: await house.workspace() };
    const keeper = await house.keeper();
    for (const notice of switched.notices) await tell(base, notice);
    return await carryOut({ ...there, keeper }, usedUp);
  } catch (error) {
    const isBegun = error instanceof Refusal ? error.status === 4 : !(error instanceof Interrupted);
    if (!isBegun) await switched.back();
    throw error;
  } finally {
    await house.close();
  }
}
