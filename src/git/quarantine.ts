import { chmodSync, copyFileSync, constants, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from '../ports.ts';
import type { AttemptId } from '../ports.ts';
import { toByteName, toPath, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { errorCode, isPlainBelow, isWritableFolder, openFolder, statOf } from './raw-files.ts';
import type { Places } from './located-repository.ts';

/** What a thing in quarantine was: a path of the work tree, a file of the git directory, the exact bytes of a snapshot's file, an ignored file as the agent left it. */
export type QuarantineArea = 'tree' | 'git' | 'raw' | 'ignored';

/**
 * `skeleton/quarantine/PLAN/TASK/N/AREA/…` in the common git directory: what git cannot hold, set aside by renaming.
 * Nothing is ever copied and then deleted.
 */
export interface Quarantine {
  /** Absolute; there once something was set aside. */
  readonly folder: ByteName;
  /** Renames a path into the area, under its name there; gives where it is now, for people. Throws Refusal(4) where that is not possible. */
  take(path: ByteName, area: QuarantineArea, name: ByteName): string;
  /** Copies a regular file that stays where it is. */
  keepCopy(path: ByteName, area: QuarantineArea, name: ByteName): string;
  /** Absolute path of a thing in an area, where `take` or `keepCopy` would put it first. */
  pathOf(area: QuarantineArea, name: ByteName): ByteName;
}

export function openQuarantine({ commonDir, top }: Places, attempt: AttemptId): Quarantine {
  const { plan, task, number } = attempt;
  const inside = toByteName(`skeleton/quarantine/${plan}/${task}/${number}`);
  const folder = `${commonDir}/${inside}`;
  const pathOf = (area: QuarantineArea, name: ByteName): ByteName => `${folder}/${area}/${name}`;
  const place = (area: QuarantineArea, name: ByteName): ByteName => {
    const free = firstFree(pathOf(area, name));
    makeFolders(commonDir, free.slice(0, free.lastIndexOf('/')));
    return free;
  };
  return {
    folder,
    pathOf,
    take: (path, area, name) => {
      refuseOutside(path, top);
      const to = place(area, name);
      moveAside(path, to);
      return toShown(to);
    },
    keepCopy: (path, area, name) => {
      const to = place(area, name);
      copyFileSync(toPath(path), toPath(to), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      return toShown(to);
    },
  };
}

/** A name that was used is not used again: `a`, `a~2`, `a~3`. */
function firstFree(path: ByteName): ByteName {
  let free = path;
  for (let count = 2; statOf(free) !== undefined; count += 1) free = `${path}~${count}`;
  return free;
}

/** Nothing is followed out of the state folder: what is no folder in its place, a link above all, is renamed beside it. */
function makeFolders(root: ByteName, folder: ByteName): void {
  let path = root;
  for (const part of folder.slice(root.length + 1).split('/')) {
    path += `/${part}`;
    const stat = statOf(path);
    if (stat?.isDirectory() === true) continue;
    if (stat !== undefined) renameSync(toPath(path), toPath(firstFree(path)));
    mkdirSync(toPath(path), { recursive: true, mode: 0o700 });
  }
}

function moveAside(from: ByteName, to: ByteName): void {
  try {
    moveFolderToo(from, to);
  } catch (error) {
    throw new Refusal(
      4,
      `${toShown(from)} is in the way and cannot be set aside: ${errorCode(error) ?? String(error)}`,
      `mv ${quoted(from)} somewhere else, then run again`,
    );
  }
}

/** A folder that one may not write to cannot change its parent either (rename(2), EACCES), so its mode is lifted meanwhile. */
function moveFolderToo(from: ByteName, to: ByteName): void {
  if (!isWritableFolder(dirname(from))) openFolder(dirname(from));
  try {
    renameSync(toPath(from), toPath(to));
  } catch (error) {
    const stat = statOf(from);
    if (errorCode(error) !== 'EACCES' || stat?.isDirectory() !== true) throw error;
    chmodSync(toPath(from), stat.mode | 0o700);
    renameSync(toPath(from), toPath(to));
    chmodSync(toPath(to), stat.mode & 0o7777);
  }
}

function quoted(path: ByteName): string {
  return `'${toText(path).replaceAll("'", `'\\''`)}'`;
}

/** Nothing of ours lies behind a link: that is another's ground, and never to be moved. */
function refuseOutside(path: ByteName, top: ByteName): void {
  if (!path.startsWith(`${top}/`) || isPlainBelow(top, path.slice(top.length + 1))) return;
  throw new Error(`${toShown(path)} lies behind a link and must not be moved`);
}
