import { findCycles } from '../plan/cycles.ts';

/** By their place: what each one waits for; undefined: the one before it. */
export type Edges = readonly (readonly number[] | undefined)[];

/** One shortest way round of each knot. */
export function cyclesOf(needs: Edges): readonly (readonly number[])[] {
  return findCycles(needs.map((own, at) => neededBy(own, at)));
}

function neededBy(own: readonly number[] | undefined, at: number): readonly number[] {
  return own ?? (at === 0 ? [] : [at - 1]);
}

/** Places in an order in which everything comes after what it needs, and else as it stood. Ends for cycles too. */
export function orderOf(needs: Edges): readonly number[] {
  const placed = new Set<number>();
  const entered = new Set<number>();
  for (const root of needs.keys()) {
    const path = [root];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const waiting = entered.has(at) ? [] : neededBy(needs[at], at);
      entered.add(at);
      const open = waiting.filter((need) => !entered.has(need));
      for (const need of [...open].reverse()) path.push(need);
      if (open.length > 0) continue;
      placed.add(at);
      path.pop();
    }
  }
  return [...placed];
}
