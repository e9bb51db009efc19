import type { House } from '../compose.ts';
import type { Note } from '../core/note.ts';
import type { Recorded } from '../core/events.ts';
import { pastOf, type PlanPast } from '../core/plan-past.ts';
import { inOrder, rebuild } from '../core/rebuild.ts';
import { isNothing, refsToldIn } from '../core/traces.ts';
import { LedgerDamaged, type Ledger } from '../ports.ts';
import { slugOf } from './whole-ledger.ts';

/** What there is to read of a plan's past. */
export interface Past {
  /** PLAN of the plan's path. */
  readonly slug: string;
  readonly events: readonly Recorded[];
  /** What lies in its inbox. */
  readonly notes: readonly Note[];
  /** That it is known from git alone, and why, in one line; undefined where the ledger tells it. */
  readonly notice: string | undefined;
}

/** Plans as the ledger has them; as git does where it is damaged or gone. Nothing is changed. */
export async function readPlans(house: House): Promise<ReadonlyMap<string, string>> {
  const read = await withLedger(house, (ledger) => ledger.plans());
  return read.kind === 'read' ? read.value : (await house.traces()).plans();
}

/**
 * A plan's history, for commands that take no lock and mend nothing: from git, what the ledger lost, or all where it is damaged
 * or gone.
 */
export async function readPast(house: House, planPath: string): Promise<Past> {
  const read = await withLedger(house, async (ledger) => {
    const slug = await slugOf(house, planPath, await ledger.plans());
    return readBoth(house, ledger, { slug, planPath });
  });
  if (read.kind === 'read') return read.value;
  const traces = await house.traces();
  const slug = await slugOf(house, planPath, new Map());
  const found = await (await traces.of(slug))(() => false);
  const rebuilt = rebuild({ plan: slug, planPath, history: [], traces: found });
  const events = inOrder(slug, rebuilt.entries);
  if (read.why === undefined && events.length === 0)
    return { slug, events, notes: [], notice: undefined };
  const what =
    read.why === undefined ? 'there is no ledger' : `the ledger is damaged (${read.why})`;
  const notice = `${what}: this is what git knows; skeleton run makes a new one`;
  return { slug, events, notes: [], notice };
}

/** The same, folded and without what gates said: a long history costs a fraction of what it does event by event. */
export async function readFolded(
  house: House,
  planPath: string,
): Promise<Omit<Past, 'events'> & { readonly past: PlanPast }> {
  const read = await withLedger(house, async (ledger) => {
    const slug = await slugOf(house, planPath, await ledger.plans());
    if (ledger.isShared)
      return { slug, past: await ledger.past(slug), notes: await ledger.inbox(slug) };
    const seen = await (await house.traces()).of(slug);
    const past = await ledger.past(slug);
    const told = new Set(past.refs);
    const notes = await ledger.inbox(slug);
    return isNothing(await seen((ref) => told.has(ref))) ? { slug, past, notes } : undefined;
  });
  if (read.kind === 'read' && read.value !== undefined) return { ...read.value, notice: undefined };
  const { events, ...rest } = await readPast(house, planPath);
  return { ...rest, past: pastOf(events) };
}

/** What git shows is written down first: a history that is read after it knows it, whoever writes meanwhile. */
async function readBoth(
  house: House,
  ledger: Ledger,
  { slug, planPath }: { readonly slug: string; readonly planPath: string },
): Promise<Past> {
  // What this clone's refs tell beside that is of other machines, or of a ledger of its own.
  if (ledger.isShared)
    return {
      slug,
      events: await ledger.history(slug),
      notice: undefined,
      notes: await ledger.inbox(slug),
    };
  const seen = await (await house.traces()).of(slug);
  const history = await ledger.history(slug);
  const told = refsToldIn(history);
  const traces = await seen((ref) => told.has(ref));
  const notes = await ledger.inbox(slug);
  if (isNothing(traces)) return { slug, events: history, notes, notice: undefined };
  const { entries } = rebuild({ plan: slug, planPath, history, traces });
  if (entries.length === 0) return { slug, events: history, notes, notice: undefined };
  const notice = 'the ledger has lost its end: this is what git knows; skeleton run mends it';
  return { slug, events: [...history, ...inOrder(slug, entries, history)], notes, notice };
}

export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'lost'; readonly why: string | undefined };

export async function withLedger<T>(
  house: House,
  work: (ledger: Ledger) => Promise<T>,
): Promise<Read<T>> {
  let ledger: Ledger | undefined;
  try {
    ledger = await house.history();
    if (ledger === undefined) return { kind: 'lost', why: undefined };
    return { kind: 'read', value: await work(ledger) };
  } catch (error) {
    if (!(error instanceof LedgerDamaged)) throw error;
    return { kind: 'lost', why: error.reason };
  } finally {
    await ledger?.close();
  }
}
