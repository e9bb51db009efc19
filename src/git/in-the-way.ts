import { rmdirSync } from 'node:fs';
import { foldersAbove, toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Quarantine } from './quarantine.ts';
import { errorCode, statOf } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import { pathsBelow } from './things.ts';

export interface Switch {
  /** Paths that the other tree will write. */
  readonly written: readonly ByteName[];
  /** Whether git knows a path now, so that it may remove it. */
  readonly isHeld: (path: ByteName) => boolean;
}

/**
 * Moves what git would overwrite although no snapshot holds it into quarantine: an ignored file or folder at a path that a
 * tree switch writes, or where it needs a folder. (`read-tree -m -u` overwrites ignored files without a word.)
 */
export function clearWay(
  { top }: Repository,
  quarantine: Quarantine,
  { written, isHeld }: Switch,
): readonly string[] {
  const notices: string[] = [];
  const take = (path: ByteName): void => {
    const where = quarantine.take(`${top}/${path}`, 'tree', path);
    notices.push(`${toShown(path)} stood in the way of a tracked file: that is now ${where}`);
  };
  for (const path of written) {
    const blocked = foldersAbove(path).find((folder) => standsAsFile(`${top}/${folder}`));
    // Behind a link there is somebody else's ground.
    if (blocked === undefined) clearPath(top, path, { isHeld, take });
    else if (!isHeld(blocked)) take(blocked);
  }
  return notices;
}

/** Of the paths that a tree switch writes, those for which it would have to overwrite or move what git does not know. */
export function blockedPaths(
  { top }: Repository,
  { written, isHeld }: Switch,
): readonly ByteName[] {
  const isForeign = (name: ByteName): boolean => standsAsFile(`${top}/${name}`) && !isHeld(name);
  return written.filter((path) => {
    const above = foldersAbove(path).filter((folder) => standsAsFile(`${top}/${folder}`));
    if (above.length > 0) return above.some((folder) => !isHeld(folder));
    // A submodule's own files are no matter of ours.
    if (isHeld(path)) return false;
    return pathsBelow(`${top}/${path}`).some((name) => isForeign(name.slice(top.length + 1)));
  });
}

function standsAsFile(path: ByteName): boolean {
  const stat = statOf(path);
  return stat !== undefined && !stat.isDirectory();
}

interface Clearing {
  readonly isHeld: (path: ByteName) => boolean;
  readonly take: (path: ByteName) => void;
}

function clearPath(top: ByteName, path: ByteName, { isHeld, take }: Clearing): void {
  const stat = statOf(`${top}/${path}`);
  if (stat === undefined || isHeld(path)) return;
  if (!stat.isDirectory()) {
    take(path);
    return;
  }
  if (removeIfEmpty(`${top}/${path}`)) return;
  const below = pathsBelow(`${top}/${path}`).map((name) => name.slice(top.length + 1));
  if (!below.some(isHeld)) {
    take(path);
    return;
  }
  const isFolder = (name: ByteName): boolean => statOf(`${top}/${name}`)?.isDirectory() === true;
  for (const name of below) if (!isFolder(name) && !isHeld(name)) take(name);
  for (const name of [...below].reverse()) removeIfEmpty(`${top}/${name}`);
}

/** The folder where a file is to stand and those in it, upper ones first, with their modes. */
export function foldersIn(
  top: ByteName,
  path: ByteName,
): readonly (readonly [path: ByteName, mode: number])[] {
  if (statOf(`${top}/${path}`)?.isDirectory() !== true) return [];
  return pathsBelow(`${top}/${path}`).flatMap((below) => {
    const stat = statOf(below);
    if (stat?.isDirectory() !== true) return [];
    return [[below.slice(top.length + 1), stat.mode & 0o7777] as const];
  });
}

/** Cannot delete anything but an empty folder; gives whether it did. */
export function removeIfEmpty(folder: ByteName): boolean {
  try {
    rmdirSync(toPath(folder));
    return true;
  } catch (error) {
    if (
      ['ENOTEMPTY', 'ENOENT', 'ENOTDIR', 'EEXIST', 'EACCES', 'EBUSY'].includes(
        errorCode(error) ?? '',
      )
    )
      return false;
    throw error;
  }
}
