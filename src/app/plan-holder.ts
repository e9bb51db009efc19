import type { House } from '../compose.ts';
import { openRun } from '../core/open-run.ts';
import type { Recorded } from '../core/events.ts';
import { withLedger } from './read-ledger.ts';
import { slugOf } from './whole-ledger.ts';

/** Which runs of a plan are alive: in a ledger of this repository alone it can only be the last, `last` where it is; else their ids. */
export type Living = 'last' | 'none' | ReadonlySet<string>;

/**
 * Whether a living process holds the plan's lock; where the ledger is shared, who is at work on the plan anywhere. Takes nothing and holds
 * nobody up.
 */
export async function livingRuns(house: House, planPath: string): Promise<Living> {
  const read = await withLedger(house, async (ledger) =>
    slugOf(house, planPath, await ledger.plans()),
  );
  const slug = read.kind === 'read' ? read.value : await slugOf(house, planPath, new Map());
  const look = await house.look();
  if (look === undefined)
    return (await house.locks()).holderOf(`plan-${slug}`) === undefined ? 'none' : 'last';
  try {
    return new Set((await look.work(slug)).runs);
  } finally {
    await look.close();
  }
}

/** Whether anybody is at work on a plan. */
export async function isPlanHeld(house: House, planPath: string): Promise<boolean> {
  const living = await livingRuns(house, planPath);
  return typeof living === 'string' ? living === 'last' : living.size > 0;
}

/** Whether a run that has no end yet is alive: of a repository's own, one after which no other began. */
export function isAlive(run: string, living: Living, events: readonly Recorded[]): boolean {
  if (typeof living !== 'string') return living.has(run);
  return living === 'last' && openRun(events) === run;
}

export function isSame(one: Living, other: Living | undefined): boolean {
  if (typeof one === 'string' || typeof other === 'string' || other === undefined)
    return one === other;
  return one.size === other.size && [...one].every((run) => other.has(run));
}
