import type { House } from '../compose.ts';
import { pickOld } from '../core/gc.ts';
import type { OwnThing } from '../core/own-things.ts';
import type { Lock, OwnRef, Pruner } from '../ports.ts';
import { readGcFacts, underWay } from './gc-facts.ts';
import { held } from './held.ts';

/** Milliseconds for the weights of all refs together: they are good to know, no more. */
const WEIGHING = 10_000;

export async function readThings(pruner: Pruner): Promise<readonly (OwnThing | OwnRef)[]> {
  return [...(await pruner.refs()), ...pruner.files()];
}

/** What is old enough to go, without the weights of refs. Reads only. */
export async function findOld(
  house: House,
  pruner: Pruner,
  { now, busy = new Set<string>() }: { readonly now: string; readonly busy?: ReadonlySet<string> },
): Promise<readonly OwnThing[]> {
  const things = await readThings(pruner);
  const taken = new Set([...busy, ...(await underWay(house, pruner))]);
  return pickOld(things, await readGcFacts(house, things, { now: Date.parse(now), busy: taken }));
}

export function refsAmong(things: readonly (OwnThing | OwnRef)[]): readonly OwnRef[] {
  return things.filter((thing): thing is OwnRef => 'oid' in thing);
}

export async function weighed(
  pruner: Pruner,
  things: readonly OwnThing[],
): Promise<readonly OwnThing[]> {
  const weights = await pruner.weigh(refsAmong(things), WEIGHING);
  return things.map((thing) => ({ ...thing, bytes: weights.get(thing.name) ?? thing.bytes }));
}

export interface Held {
  readonly locks: readonly Lock[];
  /** Plans and work trees that another process holds. */
  readonly busy: ReadonlySet<string>;
}

/** This work tree's lock has to be free; what others hold is left to them. Throws Refusal(3). */
export async function lockAll(house: House, pruner: Pruner): Promise<Held> {
  const door = await house.locks();
  const { id } = await house.workspace();
  const what = `skeleton gc in ${house.facts.top}`;
  const locks: Lock[] = [held(door.acquire(`worktree-${id}`, what))];
  const busy = new Set<string>();
  for (const { kind, name } of await lockNames(house, pruner, id)) {
    const lock = door.acquire(`${kind}-${name}`, what);
    if ('heldBy' in lock) busy.add(name);
    else locks.push(lock);
  }
  return { locks, busy };
}

interface LockName {
  readonly kind: 'plan' | 'worktree';
  readonly name: string;
}

/** All that a run anywhere in this repository could hold, but for the work tree `id`. */
async function lockNames(house: House, pruner: Pruner, id: string): Promise<readonly LockName[]> {
  const things = await readThings(pruner);
  const ledger = await house.history().catch(() => undefined);
  const known = [...((await ledger?.plans()) ?? new Map<string, string>()).keys()];
  await ledger?.close();
  const plans = new Set([...known, ...things.flatMap(({ plan }) => plan ?? [])]);
  const trees = new Set(things.flatMap(({ worktree }) => worktree ?? []));
  for (const worktree of pruner.worktrees()) trees.add(worktree.id);
  trees.delete(id);
  return [
    ...[...plans].map((name) => ({ kind: 'plan' as const, name })),
    ...[...trees].map((name) => ({ kind: 'worktree' as const, name })),
  ];
}

/** What is held, for people: the folder of a work tree, the name of a plan. */
export function shown(pruner: Pruner, name: string): string {
  return pruner.worktrees().find(({ id }) => id === name)?.folder ?? name;
}
