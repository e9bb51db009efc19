import { createHash } from 'node:crypto';
import type { House } from '../compose.ts';
import { planSlug } from '../core/refs.ts';
import { LedgerDamaged, type Ledger } from '../ports.ts';
import { held } from './held.ts';

/** What became of a ledger; undefined where all is well. A new repository has none either. */
export type Lost =
  | { readonly how: 'gone' }
  | { readonly how: 'damaged'; readonly reason: string; readonly kept: string }
  | undefined;

export interface WholeLedger {
  readonly ledger: Ledger;
  /** PLAN of the plan's path. */
  readonly slug: string;
  readonly lost: Lost;
}

/**
 * The ledger for writing known to be readable whole. One that cannot be trusted is kept beside it, and a new one made: what
 * git knows is told to it by who asks. Throws Refusal(3) where another process does the same.
 */
export async function openWholeLedger(
  house: House,
  planPath: string,
  slug?: string,
): Promise<WholeLedger> {
  const wasThere = house.hasLedger();
  try {
    return {
      ...(await openRead(house, planPath, slug)),
      lost: wasThere ? undefined : { how: 'gone' },
    };
  } catch (error) {
    if (!(error instanceof LedgerDamaged)) throw error;
    const kept = await setAside(house);
    const lost = { how: 'damaged', reason: error.reason, kept } as const;
    return { ...(await openRead(house, planPath, slug)), lost };
  }
}

async function openRead(
  house: House,
  planPath: string,
  asked?: string,
): Promise<Omit<WholeLedger, 'lost'>> {
  const ledger = await house.ledger();
  try {
    // Better now than in the middle of the run.
    await ledger.assertReadable();
    const plans = await ledger.plans();
    const slug = asked ?? (await slugOf(house, planPath, plans));
    return { ledger, slug };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** PLAN of a path, by the ledger, and by git where that does not know the path. */
export async function slugOf(
  house: House,
  planPath: string,
  plans: ReadonlyMap<string, string>,
): Promise<string> {
  const isKnown = [...plans.values()].includes(planPath);
  const told = isKnown ? [] : await (await house.traces()).plans();
  return slugFor(planPath, new Map([...told, ...plans]));
}

async function setAside(house: House): Promise<string> {
  const lock = held((await house.locks()).acquire('ledger', 'skeleton rebuilds the ledger'));
  try {
    return await house.keepLedgerAside();
  } finally {
    lock.release();
  }
}

/** PLAN of a path: taken from the ledger where it has one; a second path of the same name gets `-` and six hex digits. */
function slugFor(path: string, taken: ReadonlyMap<string, string>): string {
  const known = [...taken].find(([, owner]) => owner === path)?.[0];
  if (known !== undefined) return known;
  const slug = planSlug(path);
  if (!taken.has(slug)) return slug;
  return planSlug(path, createHash('sha256').update(path).digest('hex').slice(0, 6));
}
