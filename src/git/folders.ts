import { chmodSync, mkdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { foldersAbove, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { removeIfEmpty } from './in-the-way.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { isPlainBelow, statOf } from './raw-files.ts';
import type { AttemptRecord } from './record.ts';
import { walkTree } from './walk.ts';
import type { Walk } from './walk.ts';

/** Empty folders and modes: what git does not keep. */
export function restoreFolders(attempt: OpenAttempt): void {
  const walk = walkAgain(attempt);
  removeNewFolders(attempt, walk);
  const { record, repository } = attempt;
  for (const [path, mode] of record.bareFolders) makeFolder(`${repository.top}/${path}`, mode);
  restoreModes(attempt, walk);
}

function walkAgain({ record, repository }: OpenAttempt): Walk {
  const skip = new Set(record.ignoredFolders);
  return walkTree(repository.top, { skip, usual: record.usualModes });
}

/** Deepest first; what holds anything at all stays. */
function removeNewFolders({ record, repository }: OpenAttempt, walk: Walk): void {
  // A submodule that was emptied keeps its folder.
  const known = new Set([...record.bareFolders.map(([path]) => path), ...record.repositories]);
  const added = [...walk.bareFolders.keys()]
    .filter((path) => !known.has(path))
    .sort()
    .reverse();
  for (const path of added) removeIfEmpty(`${repository.top}/${path}`);
}

function makeFolder(path: ByteName, mode: number): void {
  const stat = statOf(path);
  if (stat === undefined) mkdirSync(toPath(path), { recursive: true });
  else if (!stat.isDirectory() || (stat.mode & 0o7777) === mode) return;
  chmodSync(toPath(path), mode);
}

/** A mode that was odd comes back; one that became odd becomes what git would give it. */
function restoreModes({ record, repository }: OpenAttempt, walk: Walk): void {
  const then = new Map(record.oddModes);
  const files = new Set(record.ignored.map(([path]) => path));
  for (const path of new Set([...then.keys(), ...walk.oddModes.keys()])) {
    if (files.has(path) || !isPlainBelow(repository.top, path)) continue;
    const absolute = `${repository.top}/${path}`;
    const stat = statOf(absolute);
    if (stat === undefined || stat.isSymbolicLink()) continue;
    const mode = then.get(path) ?? usualMode(record, stat);
    if ((stat.mode & 0o7777) !== mode) chmodSync(toPath(absolute), mode);
  }
}

function usualMode({ usualModes }: AttemptRecord, stat: Stats): number {
  const { file, program } = usualModes;
  return stat.isDirectory() || (stat.mode & 0o100) !== 0 ? program : file;
}

/** Removes folders that a moved file left empty, unless they were there where the attempt began. */
export function removeEmptied({ record, repository }: OpenAttempt, path: ByteName): void {
  const known = new Set(record.bareFolders.map(([folder]) => folder));
  for (const folder of [...foldersAbove(path)].reverse())
    if (known.has(folder) || !removeIfEmpty(`${repository.top}/${folder}`)) return;
}
