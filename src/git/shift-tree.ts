import { Refusal } from '../ports.ts';
import { foldersAbove, toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { applyEntries, isSameEntry, writeTreeOf } from './entries.ts';
import type { Entry, PathChanges } from './entries.ts';
import { GitError } from './git.ts';
import { blockedPaths, clearWay } from './in-the-way.ts';
import { readIndex, useIndex } from './private-index.ts';
import type { Quarantine } from './quarantine.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { readStaged, stageChanges } from './stage.ts';
import { isChanged, isIgnored, isUntracked, readStatus } from './status.ts';
import type { StatusLine } from './status.ts';
import type { Change } from './survey.ts';
import { trackedPaths } from './tracked-paths.ts';
import { copyUserIndex } from './user-index.ts';

export type Shifted =
  | { readonly kind: 'shifted'; readonly notices: readonly string[] }
  /** Nothing was touched: these paths hold something that the change does not know. */
  | { readonly kind: 'conflict'; readonly paths: readonly ByteName[] };

/**
 * Changes files of the work tree from one state to another: `read-tree -m -u` from the tree of what lies there now to the same
 * with the changes in it, as every tree switch of ours (architecture.md, "Order of writes"). A path may lie there as `from` or
 * already as `to`, so it can be repeated after a crash; any other content is a conflict. What git does not know and stands in
 * the way goes to quarantine, or without one is a conflict too. HEAD, refs and the user's index stay.
 */
export async function shiftTree(
  repository: Repository,
  changes: PathChanges,
  quarantine: Quarantine | undefined,
): Promise<Shifted> {
  makeStateFolder(repository);
  const standing = await takeIn(repository, changes);
  const wanted = new Map<ByteName, Entry>(
    [...changes]
      .filter(([path, { to }]) => !isSameEntry(standing.entries.get(path), to))
      .map(([path, { to }]) => [path, to] as const),
  );
  if (wanted.size === 0) return { kind: 'shifted', notices: [] };
  const written = [...wanted].filter(([, to]) => to !== undefined).map(([path]) => path);
  const isHeld = (path: ByteName): boolean => standing.tracked.has(path);
  const foreign = [...wanted.keys()].filter(
    (path) => !isSameEntry(standing.entries.get(path), changes.get(path)?.from),
  );
  const paths = [...foreign, ...collisions(standing.tracked, wanted)];
  if (quarantine === undefined) paths.push(...blockedPaths(repository, { written, isHeld }));
  if (paths.length > 0) return { kind: 'conflict', paths: [...new Set(paths)].sort() };
  const notices = quarantine ? clearWay(repository, quarantine, { written, isHeld }) : [];
  await switchTo(repository, standing.index, wanted);
  return { kind: 'shifted', notices };
}

interface Standing {
  /** Our index, which matches what lies in the work tree. */
  readonly index: string;
  /** What lies at the paths of the change. */
  readonly entries: ReadonlyMap<ByteName, Entry>;
  readonly tracked: ReadonlySet<ByteName>;
}

async function takeIn(repository: Repository, changes: PathChanges): Promise<Standing> {
  const { index } = await copyUserIndex(repository, 'index');
  await stageChanges(repository, index, dirtyChanges(await readStatus(repository.git, index)));
  const bytes = readIndex(toByteName(index))?.bytes ?? Buffer.alloc(0);
  return {
    index,
    entries: readStaged(repository, index, new Set(changes.keys())),
    tracked: trackedPaths(bytes, repository),
  };
}

/** What differs from the index, repositories inside this one and submodules left out. */
export function dirtyChanges(lines: readonly StatusLine[]): readonly Change[] {
  return lines
    .filter((line) => !isIgnored(line) && !line.isFolder && line.submodule === undefined)
    .filter((line) => isUntracked(line) || isChanged(line))
    .map((line) => ({ path: line.path, status: line.code[1] === 'D' ? 'D' : 'M' }));
}

/** A file where others need a folder, or the other way round. */
function collisions(
  tracked: ReadonlySet<ByteName>,
  wanted: ReadonlyMap<ByteName, Entry>,
): readonly ByteName[] {
  const after = new Set([...tracked].filter((path) => !wanted.has(path)));
  const folders = new Set([...after].flatMap(foldersAbove));
  return [...wanted]
    .filter(([, to]) => to !== undefined)
    .map(([path]) => path)
    .filter((path) => folders.has(path) || foldersAbove(path).some((above) => after.has(above)));
}

async function switchTo(
  repository: Repository,
  index: string,
  wanted: ReadonlyMap<ByteName, Entry>,
): Promise<void> {
  const before = await writeTreeOf(repository, index);
  const other = useIndex(repository, readIndex(toByteName(index)), 'other');
  await applyEntries(repository, other, wanted);
  const after = await writeTreeOf(repository, other);
  try {
    await repository.git.run(['read-tree', '-m', '-u', before, after], { index });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const some = [...wanted.keys()].slice(0, 5).map(toShown).join(', ');
    const words = `the work tree cannot be changed (${some}): ${error.stderr.trim()}`;
    throw new Refusal(4, words, 'git status; then the same command again');
  }
}
