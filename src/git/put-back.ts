import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import type { PutBack } from '../ports.ts';
import { forgetAside, readAside } from './aside-record.ts';
import type { AsideRecord } from './aside-record.ts';
import { foldersAbove, toPath, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { isSameEntry, treeChanges } from './entries.ts';
import type { PathChanges } from './entries.ts';
import { followIndex } from './follow-index.ts';
import { keptIgnored, putIgnoredBack } from './put-ignored-back.ts';
import { statOf } from './raw-files.ts';
import { changeRefs } from './ref-changes.ts';
import { readRefs } from './read-refs.ts';
import type { Repository } from './located-repository.ts';
import { quarantineOf } from './set-aside.ts';
import { shiftTree } from './shift-tree.ts';

/**
 * Puts back what was set aside: work tree, index, modes, empty folders. Where a path of it was changed meanwhile, by a
 * checkpoint or by hand, nothing is touched at all and the ref stays. Safe to repeat after a crash. `remembered`: of this very
 * process, which trusts its memory more than a file that an agent could reach.
 */
export async function putBack(
  repository: Repository,
  remembered: AsideRecord | undefined,
): Promise<PutBack | undefined> {
  const record = remembered ?? readAside(repository);
  if (record === undefined) return undefined;
  const work = await treeChanges(repository, record.head, record.commit);
  const staged = await treeChanges(repository, record.head, record.index);
  const moved = await movedPaths(repository, record, [work, staged]);
  const shifted =
    moved.length > 0
      ? ({ kind: 'conflict', paths: moved } as const)
      : await shiftTree(repository, work, undefined);
  if (shifted.kind === 'conflict') {
    forgetAside(repository);
    const left = keptIgnored(quarantineOf(repository, record));
    return { kind: 'kept', ref: toText(record.ref), paths: shifted.paths.map(toShown), left };
  }
  restoreExactly(repository, record);
  const entries = new Map([...staged].map(([path, { to }]) => [path, to] as const));
  await followIndex(repository, entries, record.announced);
  const left = putIgnoredBack(repository, quarantineOf(repository, record));
  restoreFolders(repository, record.buried);
  forgetAside(repository);
  await dropRef(repository, record);
  return { kind: 'done', left };
}

/** Paths that HEAD no longer holds as they were when the work on them was set aside. */
async function movedPaths(
  repository: Repository,
  { head }: AsideRecord,
  parts: readonly PathChanges[],
): Promise<readonly ByteName[]> {
  const since = await treeChanges(repository, head, 'HEAD');
  const mine = new Set(parts.flatMap((part) => [...part.keys()]));
  const added = [...since].filter(([, { to }]) => to !== undefined).map(([path]) => path);
  const above = new Set(added.flatMap(foldersAbove));
  const theirs = new Set(added);
  return [...mine].filter((path) => {
    const change = since.get(path);
    if (change !== undefined && !isSameEntry(change.from, change.to)) return true;
    return above.has(path) || foldersAbove(path).some((folder) => theirs.has(folder));
  });
}

/** What git does not keep: exact bytes where a filter converts them, modes, folders without files. */
function restoreExactly(repository: Repository, record: AsideRecord): void {
  const { top } = repository;
  const quarantine = quarantineOf(repository, record);
  for (const path of record.raw) {
    const kept = quarantine.pathOf('raw', path);
    if (statOf(kept)?.isFile() === true) copyFileSync(toPath(kept), toPath(`${top}/${path}`));
  }
  restoreFolders(
    repository,
    record.bareFolders.filter(([path]) => statOf(`${top}/${path}`) === undefined),
  );
  for (const [path, mode] of record.modes) {
    const stat = statOf(`${top}/${path}`);
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o7777) === mode) continue;
    chmodSync(toPath(`${top}/${path}`), mode);
  }
}

function restoreFolders({ top }: Repository, folders: AsideRecord['bareFolders']): void {
  for (const [name, mode] of folders) {
    const path = toPath(`${top}/${name}`);
    const stat = statOf(`${top}/${name}`);
    if (stat !== undefined && !stat.isDirectory()) continue;
    if (stat === undefined) mkdirSync(path, { recursive: true });
    chmodSync(path, mode);
  }
}

/** Everything is where it was: the commit has done its work. */
async function dropRef(repository: Repository, { ref, commit }: AsideRecord): Promise<void> {
  if ((await readRefs(repository)).refs.get(ref) !== commit) return;
  await changeRefs(repository.git, [{ kind: 'delete', ref, from: commit }], 'put back');
}
