import type { House } from '../compose.ts';
import { withLedger } from './read-ledger.ts';
import { slugOf } from './whole-ledger.ts';

/** Whether a living process holds the plan's lock. Takes nothing and holds nobody up. */
export async function isPlanHeld(house: House, planPath: string): Promise<boolean> {
  const read = await withLedger(house, async (ledger) =>
    slugOf(house, planPath, await ledger.plans()),
  );
  const slug = read.kind === 'read' ? read.value : await slugOf(house, planPath, new Map());
  return (await house.locks()).holderOf(`plan-${slug}`) !== undefined;
}
