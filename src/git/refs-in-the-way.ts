import { agentRefPrefix, isInTheWay } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import type { AttemptId } from '../ports.ts';
import { toByteName, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { missingObjects } from './objects.ts';
import { readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import type { RefChange } from './ref-changes.ts';
import type { Repository } from './located-repository.ts';

type Standing = readonly [ref: ByteName, value: string];

async function standingInTheWay(
  repository: Repository,
  plan: string,
): Promise<readonly Standing[]> {
  const { refs } = await readRefs(repository);
  return [...refs].filter(([ref]) => isInTheWay(toText(ref), plan));
}

/** Throws a Refusal, with the command that moves it, where a ref stands whose name leaves no room for ours: a person made it. */
export async function refuseRefsInTheWay(
  repository: Repository,
  plan: string,
  status: 3 | 4,
): Promise<void> {
  const found = await standingInTheWay(repository, plan);
  if (found.length === 0) return;
  const names = found.map(([ref]) => toShown(ref)).join(', ');
  throw new Refusal(
    status,
    `refs of skeleton cannot be made while there is ${names}`,
    found.map(([ref]) => commandFor(toText(ref))).join('\n'),
  );
}

function commandFor(ref: string): string {
  const tag = /^refs\/tags\/(.*)$/.exec(ref)?.[1];
  const name = ref.replaceAll('/', '-').replace(/^refs-(?:tags-)?/, '');
  if (tag !== undefined)
    return `git tag ${quoted(`old-${name}`)} ${quoted(ref)} && git tag -d ${quoted(tag)}`;
  return `git update-ref ${quoted(`refs/old/${name}`)} ${quoted(ref)} && git update-ref -d ${quoted(ref)}`;
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A name that neither stands nor is a folder of one that stands, nor the other way round. */
export function freeRef(prefix: ByteName, name: ByteName, { id, names }: Taken): ByteName {
  const isTaken = (wanted: ByteName): boolean =>
    [...names].some(
      (ref) => ref === wanted || ref.startsWith(`${wanted}/`) || wanted.startsWith(`${ref}/`),
    );
  let free = prefix + name;
  for (let count = 1; isTaken(free); count += 1)
    free = `${prefix}again${count === 1 ? '' : `-${count}`}/${id.slice(0, 16)}`;
  return free;
}

interface Taken {
  readonly id: string;
  readonly names: ReadonlySet<ByteName>;
}

/**
 * Moves refs that an attempt made, and that leave no room for ours, below `refs/skeleton/agent/PLAN/TASK/N/`; gives it in words.
 * Before the attempt there were none: see refuseRefsInTheWay. Each has a second name meanwhile, so that a crash loses nothing.
 */
export async function moveRefsOutOfTheWay(
  repository: Repository,
  { plan, task, number }: AttemptId,
): Promise<readonly string[]> {
  const found = await standingInTheWay(repository, plan);
  if (found.length === 0) return [];
  const { git } = repository;
  const gone = await missingObjects(repository, found.map(([, value]) => value).filter(isId));
  const kept = found.filter(([, value]) => isId(value) && !gone.has(value));
  const names = new Set((await readRefs(repository)).refs.keys());
  const parked = namesFor('refs/skeleton-aside-', kept, names);
  await changeRefs(git, parked, 'in the way');
  await changeRefs(git, found.map(deletionOf), 'in the way');
  for (const [ref] of found) names.delete(ref);
  const prefix = toByteName(agentRefPrefix(plan, task, number));
  const moved = namesFor(prefix, kept, names);
  await changeRefs(git, moved, 'in the way');
  await changeRefs(
    git,
    parked.map(({ ref, to }) => deletionOf([ref, to])),
    'in the way',
  );
  return found.map(([ref]) => {
    const to = moved[kept.findIndex(([name]) => name === ref)]?.ref;
    const where =
      to === undefined ? 'is deleted: it held no object of its own' : `is now ${toShown(to)}`;
    return `${toShown(ref)} was made during the attempt, where refs of skeleton go: it ${where}`;
  });
}

type Creation = RefChange & { readonly kind: 'create' };

function namesFor(prefix: ByteName, kept: readonly Standing[], names: Set<ByteName>): Creation[] {
  return kept.map(([name, to]) => {
    const ref = freeRef(prefix, name.slice('refs/'.length), { id: to, names });
    names.add(ref);
    return { kind: 'create', ref, to, from: '' };
  });
}

/** A symbolic ref has no value of its own to be checked. */
function deletionOf([ref, value]: Standing): RefChange {
  return { kind: 'delete', ref, from: isId(value) ? value : '' };
}

function isId(value: string): boolean {
  return /^[0-9a-f]{40,}$/.test(value);
}
