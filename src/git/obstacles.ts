import { chmodSync } from 'node:fs';
import { foldersAbove, isAtOrUnder, toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { haveIgnoreRulesChanged, ignoredAtBegin } from './ignore-rules.ts';
import { visitIndex } from './index-file.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { openFolder, statOf } from './raw-files.ts';
import { walkTree } from './walk.ts';
import type { Walk } from './walk.ts';

/** What no git call may meet, or would silently leave out: found by looking at the folders alone, before git does. */
export interface Obstacles {
  /** FIFOs, sockets and devices. */
  readonly specials: readonly ByteName[];
  /** Folders that were made repositories of their own. */
  readonly repositories: readonly ByteName[];
  /** Folders that may not be listed, or hold what lies too deep: then the outermost that the attempt made. */
  readonly unreadable: readonly ByteName[];
  readonly walk: Walk;
}

/** What was there where the attempt began is no obstacle, and neither is what was ignored then and git does not open. */
export async function findObstacles(attempt: OpenAttempt): Promise<Obstacles> {
  const { repository, record } = attempt;
  const skip = new Set(record.ignoredFolders);
  const walk = walkTree(repository.top, { skip });
  const submodules = walk.repositories.length === 0 ? [] : submodulePaths(attempt);
  return {
    specials: await specialsInTheWay(attempt, walk),
    repositories: walk.repositories
      .filter(isNew(record.repositories))
      .filter((path) => !submodules.includes(path)),
    unreadable: outermostNew(attempt, walk.unreadable.filter(isNew(record.unreadable))),
    walk,
  };
}

function isNew(known: readonly ByteName[]): (path: ByteName) => boolean {
  const set = new Set(known);
  return (path) => !set.has(path);
}

/** Git opens one that lies where something is tracked, or that is named as its own files are, whatever the ignore rules say. */
async function specialsInTheWay(attempt: OpenAttempt, walk: Walk): Promise<readonly ByteName[]> {
  const seen = [...walk.specials.keys(), ...gitFilesLaidOpen(attempt, walk)];
  const specials = [...new Set(seen)].filter(isNew(attempt.record.specials));
  if (specials.length === 0) return [];
  const ignored = await ignoredAtBegin(attempt, specials);
  return specials.filter(
    (path) => !ignored.has(path) || isGitFile(path) || holdsTracked(attempt, path),
  );
}

const gitFiles = /(?:^|\/)\.git(?:ignore|attributes|modules)$/;

function isGitFile(path: ByteName): boolean {
  return gitFiles.test(path);
}

/** In folders that were ignored, which git enters as soon as other rules say so. */
function gitFilesLaidOpen(attempt: OpenAttempt, { ignoreFiles }: Walk): readonly ByteName[] {
  if (!haveIgnoreRulesChanged(attempt, ignoreFiles)) return [];
  const { specials } = walkTree(attempt.repository.top, { skip: new Set() });
  return [...specials.keys()].filter(isGitFile);
}

function outermostNew(attempt: OpenAttempt, paths: readonly ByteName[]): readonly ByteName[] {
  const known = new Set(attempt.record.bareFolders.map(([path]) => path));
  const isMade = (path: ByteName): boolean => !known.has(path) && !holdsTracked(attempt, path);
  return [...new Set(paths.map((path) => foldersAbove(path).find(isMade) ?? path))];
}

/** So that what is in them can be moved and removed; `restoreFolders` gives them their modes. */
export function openClosed({ repository }: OpenAttempt, { walk }: Obstacles): void {
  for (const path of walk.closed) openFolder(`${repository.top}/${path}`);
}

export function countObstacles({ specials, repositories, unreadable }: Obstacles): number {
  return specials.length + repositories.length + unreadable.length;
}

const gitlink = 0o160000;

function submodulePaths(attempt: OpenAttempt): readonly ByteName[] {
  return trackedAtBegin(attempt, ({ mode }) => mode === gitlink);
}

/** Paths of the base's index that a condition holds for. */
function trackedAtBegin(
  { baseIndex, repository }: OpenAttempt,
  isWanted: (entry: { readonly path: ByteName; readonly mode: number }) => boolean,
): readonly ByteName[] {
  const found: ByteName[] = [];
  visitIndex(baseIndex.bytes, repository.objectFormat, (entry) => {
    if (isWanted(entry)) found.push(entry.path);
  });
  return found;
}

/** Moves obstacles into quarantine; where a folder holds files that the base tracks, only what makes it an obstacle. */
export function clearObstacles(attempt: OpenAttempt, obstacles: Obstacles): readonly string[] {
  const { repository, quarantine } = attempt;
  const take = (path: ByteName, what: string): string =>
    `${what} ${toShown(path)} is set aside: ${quarantine.take(`${repository.top}/${path}`, 'tree', path)}`;
  const unlocked = obstacles.unreadable.filter((path) => unlock(attempt, path));
  return [
    ...unlocked.map((path) => `the folder ${toShown(path)} had been closed: its mode is put back`),
    ...obstacles.unreadable
      .filter((path) => !unlocked.includes(path))
      .map((path) => take(path, 'the unreadable folder')),
    ...obstacles.specials.map((path) => take(path, 'the special file')),
    ...obstacles.repositories.map((path) =>
      holdsTracked(attempt, path)
        ? take(`${path}/.git`, 'the repository in')
        : take(path, 'the repository'),
    ),
  ];
}

export function holdsTracked(attempt: OpenAttempt, folder: ByteName): boolean {
  return trackedAtBegin(attempt, ({ path }) => isAtOrUnder(path, folder)).length > 0;
}

/** A folder of where the attempt began gets its mode back, so that what is in it can be kept. */
function unlock(attempt: OpenAttempt, folder: ByteName): boolean {
  const { record, repository } = attempt;
  const known = new Map([...record.bareFolders, ...record.oddModes]).get(folder);
  if (known === undefined && !holdsTracked(attempt, folder)) return false;
  return unlockPath(`${repository.top}/${folder}`, known ?? record.usualModes.program);
}

/** A tracked file that may not be read gets its mode back. */
export function unlockFile(attempt: OpenAttempt, path: ByteName): boolean {
  if (trackedAtBegin(attempt, (entry) => entry.path === path).length === 0) return false;
  const known = new Map(attempt.record.oddModes).get(path);
  return unlockPath(`${attempt.repository.top}/${path}`, known ?? attempt.record.usualModes.file);
}

function unlockPath(path: ByteName, mode: number): boolean {
  if (statOf(path) === undefined) return false;
  chmodSync(toPath(path), mode);
  return true;
}
