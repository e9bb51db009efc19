import { Interrupted } from '../ports.ts';
import { giveBack, tell } from './open-base.ts';
import type { RunBase } from './run-base.ts';

/** However the work ends, what was set aside comes back; after a kill, or where git holds up a stop, the next command does it. */
export async function givingBack<T>(
  base: RunBase,
  isSetAside: boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    if (isSetAside) await giveBackIfClear(base);
  }
}

/** While an attempt is under way, what lies in the tree is its own: recovery undoes that first, and then gives back. */
async function giveBackIfClear(base: RunBase): Promise<void> {
  const aside = base.keeper.whereAside();
  if (aside === undefined) return;
  const stays = `your uncommitted work stays set aside at ${aside}, and comes back with the next skeleton run`;
  if (await isUnderWay(base)) return tell(base, stays);
  try {
    await giveBack(base);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await tell(base, `interrupted: ${stays}`);
  }
}

/** Whatever became of the ledger, a person's work does not wait for it. */
async function isUnderWay({ ledger, workspace }: RunBase): Promise<boolean> {
  try {
    return (await ledger.underWay(workspace.id)).length > 0;
  } catch {
    return false;
  }
}
