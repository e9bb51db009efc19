import { Refusal } from '../ports.ts';
import { toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { blobIdOf, blobIdOfBytes, missingObjects, readLooseObject } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { linkTarget, statOf } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import type { Change } from './survey.ts';

/** Path to object id of what differs between two trees; what is gone has none. */
export type TreeDifference = ReadonlyMap<ByteName, string | undefined>;

export async function treeDifference(
  { git }: Repository,
  from: string,
  to: string,
): Promise<TreeDifference> {
  const out = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]);
  const parts = out.toString('latin1').split('\0');
  const found = new Map<ByteName, string | undefined>();
  // `:MODE MODE ID ID LETTER`, then the path (git-diff-tree(1)).
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, , , id = '', letter = ''] = (parts[at] ?? '').split(' ');
    found.set(parts[at + 1] ?? '', letter === 'D' ? undefined : id);
  }
  return found;
}

/**
 * Makes sure that a snapshot's tree holds every change, by reading it back from the object store, before anything is
 * destroyed. Gives the files whose bytes it does not hold as they are, because a filter or a line-end rule changed them.
 * Throws Refusal(4) with names where something is missing.
 */
export async function readBack(
  attempt: OpenAttempt,
  tree: string,
  changes: readonly Change[],
): Promise<readonly ByteName[]> {
  const { repository, record } = attempt;
  const held = await treeDifference(repository, record.tree, tree);
  const missing = changes.filter(({ path, status }) => isLost(held, path, status));
  if (missing.length > 0) throw notKept(missing.map(({ path }) => path));
  const blobs = changes.flatMap(({ path }) => {
    const id = held.get(path);
    return id === undefined ? [] : [{ path, id }];
  });
  const notLoose = blobs.filter(({ id }) => readLooseObject(repository, id) === undefined);
  const gone = await missingObjects(
    repository,
    notLoose.map(({ id }) => id),
  );
  const lost = notLoose.filter(({ id }) => gone.has(id));
  if (lost.length > 0) throw notKept(lost.map(({ path }) => path));
  return blobs.filter(({ path, id }) => idOnDisk(repository, path) !== id).map(({ path }) => path);
}

/** A file that was only touched, or whose change a filter swallows, differs from nothing. */
function isLost(held: TreeDifference, path: ByteName, status: Change['status']): boolean {
  if (status === 'D') return held.has(path) && held.get(path) !== undefined;
  return status === 'A' && held.get(path) === undefined;
}

function idOnDisk({ top, objectFormat }: Repository, path: ByteName): string | undefined {
  const absolute = `${top}/${path}`;
  if (statOf(absolute)?.isSymbolicLink() === true)
    return blobIdOfBytes(toPath(linkTarget(absolute)), objectFormat);
  return blobIdOf(absolute, objectFormat);
}

function notKept(paths: readonly ByteName[]): Refusal {
  const names = paths.map(toShown).join(', ');
  return new Refusal(4, `nothing was rolled back: the snapshot does not hold ${names}`, 'git fsck');
}
