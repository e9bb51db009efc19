import type { Recorded } from './events.ts';

export interface PlanContents {
  readonly slug: string;
  readonly path: string;
  /** The highest checkpoint number that was handed out; 0 for none. */
  readonly highest: number;
}

export interface KnownVerdict {
  readonly tree: string;
  readonly gatesHash: string;
  readonly verdict: 'pass' | 'fail';
}

/** All that a ledger keeps of one repository. */
export interface LedgerContents {
  readonly plans: readonly PlanContents[];
  /** In order of writing. */
  readonly events: readonly Recorded[];
  readonly verdicts: readonly KnownVerdict[];
}

export interface PlanMerged {
  readonly plan: string;
  /** Events that are missing there. */
  readonly copied: number;
  /** Events that are there already. */
  readonly there: number;
}

export type Merged =
  | {
      readonly kind: 'merged';
      readonly missing: LedgerContents;
      readonly plans: readonly PlanMerged[];
    }
  | { readonly kind: 'differs'; readonly plan: string; readonly why: string }
  /** There, it has gone on from where it is here. */
  | { readonly kind: 'ahead'; readonly plan: string; readonly by: number };

/**
 * What a ledger lacks to hold all that another does. Of each plan it may hold the same history or its beginning: two that differ are
 * never mixed. Numbers only grow; of verdicts, which are about trees and not about histories, those there stay.
 */
export function mergeContents(from: LedgerContents, there: LedgerContents): Merged {
  const here = eventsByPlan(from);
  const known = eventsByPlan(there);
  const plans: PlanMerged[] = [];
  for (const plan of from.plans) {
    const events = here.get(plan.slug) ?? [];
    const held = known.get(plan.slug) ?? [];
    const problem = misnamed(plan, there.plans) ?? parting(plan.slug, events, held);
    if (problem !== undefined) return problem;
    plans.push({ plan: plan.slug, copied: events.length - held.length, there: held.length });
  }
  return { kind: 'merged', plans, missing: missingOf(from, there, known) };
}

type ByPlan = ReadonlyMap<string, readonly Recorded[]>;

function eventsByPlan({ events }: LedgerContents): ByPlan {
  const grouped = new Map<string, Recorded[]>();
  for (const event of events) {
    const group = grouped.get(event.plan);
    if (group === undefined) grouped.set(event.plan, [event]);
    else group.push(event);
  }
  return grouped;
}

function misnamed(
  { slug, path }: PlanContents,
  there: readonly PlanContents[],
): Extract<Merged, { kind: 'differs' }> | undefined {
  const other = there.find((one) => (one.slug === slug) !== (one.path === path));
  if (other === undefined) return undefined;
  const why = `${slug} is the plan ${path}, but there ${other.slug} is the plan ${other.path}`;
  return { kind: 'differs', plan: slug, why };
}

function parting(
  plan: string,
  events: readonly Recorded[],
  held: readonly Recorded[],
): Exclude<Merged, { kind: 'merged' }> | undefined {
  const at = held.findIndex((event, index) => {
    const own = events[index];
    return own !== undefined && textOf(own) !== textOf(event);
  });
  const own = events[at];
  if (own !== undefined) {
    const whose = own.task === '' ? 'of a run' : `of ${own.task}`;
    const why = `its histories part at event ${at + 1} (here ${own.event.type} ${whose}, ${own.at})`;
    return { kind: 'differs', plan, why };
  }
  const by = held.length - events.length;
  return by > 0 ? { kind: 'ahead', plan, by } : undefined;
}

function textOf({ run, at, task, seq, event }: Recorded): string {
  return JSON.stringify([run, at, task, seq, event]);
}

function missingOf(from: LedgerContents, there: LedgerContents, known: ByPlan): LedgerContents {
  const left = new Map([...known].map(([plan, events]) => [plan, events.length]));
  const verdicts = new Set(there.verdicts.map(keyOf));
  const numbers = new Map(there.plans.map(({ slug, highest }) => [slug, highest]));
  return {
    plans: from.plans.filter(({ slug, highest }) => highest > (numbers.get(slug) ?? -1)),
    events: from.events.filter(({ plan }) => {
      const skipped = left.get(plan) ?? 0;
      left.set(plan, skipped - 1);
      return skipped <= 0;
    }),
    verdicts: from.verdicts.filter((verdict) => !verdicts.has(keyOf(verdict))),
  };
}

function keyOf({ tree, gatesHash }: KnownVerdict): string {
  return `${tree} ${gatesHash}`;
}
