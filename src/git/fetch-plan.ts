import { parseTag } from '../core/refs.ts';
import { toByteName } from './byte-name.ts';
import { GitError } from './git.ts';
import type { Repository } from './located-repository.ts';
import { objectTypes } from './objects.ts';
import { hasRefFiles, readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import type { RefChange } from './ref-changes.ts';
import { resolveRef } from './refs.ts';
import type { RemoteDoor } from './remote-door.ts';
import { persist } from './remote-patience.ts';

export interface FetchPlace {
  readonly repository: Repository;
  readonly name: string;
  readonly door: RemoteDoor;
}

export interface FetchOrder {
  readonly plan: string;
  /** Full name. */
  readonly branch: string;
  /** What an earlier fetch has seen; undefined at the first. */
  readonly seen: Seen | undefined;
}

/** Where the remote's branch stood, and the tags and proofs of its plan that were here then, whatever they named. */
export interface Seen {
  readonly tip: string | undefined;
  readonly refs: ReadonlySet<string>;
}

/** As `Remote.fetch`; objects come first: a ref to one that is not here would break the repository. */
export async function fetchPlan(place: FetchPlace, order: FetchOrder): Promise<Seen> {
  const { repository, name, door } = place;
  const { tip, refs } = await persist(name, () => bringPlan(repository, door, order));
  if (refs === undefined && order.seen !== undefined) return order.seen;
  const all = refs ?? new Map<string, string>();
  await makeRefs(repository, new Map([...all].filter(([ref]) => !isSeen(order, ref))));
  return { tip, refs: new Set(all.keys()) };
}

const isSeen = ({ seen }: FetchOrder, ref: string): boolean => seen?.refs.has(ref) === true;

/** Tags and proofs of the plan on the remote. */
type PlanRefs = ReadonlyMap<string, string>;

interface Brought {
  readonly tip: string | undefined;
  /** Undefined where the branch has not moved: they only come with it. */
  readonly refs: PlanRefs | undefined;
}

async function bringPlan(
  repository: Repository,
  door: RemoteDoor,
  order: FetchOrder,
): Promise<Brought> {
  const { plan, branch, seen } = order;
  const last = seen?.tip;
  if (last !== undefined && (await door.list([branch])).get(branch)?.oid === last)
    return { tip: last, refs: undefined };
  const folders = [`refs/tags/skeleton/${plan}/`, `refs/skeleton/proof/${plan}/`];
  const there = await door.list([branch, ...folders]);
  const tip = there.get(branch)?.oid;
  const refs = new Map(
    [...there].flatMap(([ref, { oid }]) => (isOfPlan(ref, plan) ? [[ref, oid] as const] : [])),
  );
  const fresh = [...refs].filter(([ref]) => !isSeen(order, ref));
  const here = await standing(repository, [branch, ...fresh.map(([ref]) => ref)]);
  const lacked = fresh.flatMap(([ref, oid]) => (here.has(ref) ? [] : [oid]));
  const held = new Set(here.values());
  const wanted = new Set(tip === undefined ? lacked : [tip, ...lacked]);
  const oids = [...wanted].filter((oid) => !held.has(oid));
  if (oids.length > 0) await door.bring(oids, await ifHere(repository, last));
  return { tip, refs };
}

async function ifHere({ git }: Repository, oid: string | undefined): Promise<string | undefined> {
  return oid === undefined ? undefined : [...(await objectTypes(git, [oid])).keys()][0];
}

/** Nothing that a stranger has put there under a name that we would not give. */
function isOfPlan(ref: string, plan: string): boolean {
  if (parseTag(ref)?.plan === plan) return true;
  const prefix = `refs/skeleton/proof/${plan}/`;
  return ref.startsWith(prefix) && /^\d{4,}$/.test(ref.slice(prefix.length));
}

/** More names are looked up by reading all refs at once. */
const fewNames = 20;

/** Those of the refs that stand here. */
async function standing(
  repository: Repository,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const isFew = names.length <= fewNames && hasRefFiles(repository);
  const all = isFew ? undefined : (await readRefs(repository)).refs;
  return new Map(
    names.flatMap((name) => {
      const ref = toByteName(name);
      const oid = all === undefined ? resolveRef(repository, ref) : all.get(ref);
      return oid === undefined || oid === '' ? [] : [[name, oid] as const];
    }),
  );
}

/** Another process of this clone may be making one of them right now: then a second look finds it. */
async function makeRefs(repository: Repository, wanted: PlanRefs): Promise<void> {
  const lacking = async (): Promise<readonly RefChange[]> => {
    const here = await standing(repository, [...wanted.keys()]);
    return [...wanted]
      .filter(([ref]) => !here.has(ref))
      .map(([ref, to]) => ({ kind: 'create', ref: toByteName(ref), to, from: '' }));
  };
  const first = await lacking();
  try {
    await changeRefs(repository.git, first, 'fetch');
  } catch (error) {
    const left = await lacking();
    if (!(error instanceof GitError) || left.length === first.length) throw error;
    await changeRefs(repository.git, left, 'fetch');
  }
}
