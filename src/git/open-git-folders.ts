import { accessSync, chmodSync, constants } from 'node:fs';
import type { Dirent } from 'node:fs';
import { toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Places } from './located-repository.ts';
import { entriesOf, isTooDeep, isWritableFolder, openFolder, statOf } from './raw-files.ts';

/** Our own, whose quarantine holds closed things on purpose. */
const ours = 'skeleton';
/** Loose objects are many: they are looked at only in a folder that was closed. */
const looseFolder = /\/objects\/[0-9a-f]{2}$/;

/**
 * An attempt may close folders and files of the git directory to everybody (`chmod 000 .git/objects`): the owner's rights come
 * back before anything is read there. Gives what it did, in words.
 */
export function openGitFolders({ top, gitDir, commonDir }: Places): readonly string[] {
  const opened: ByteName[] = [];
  if (!isWritableFolder(top)) openFolder(top);
  for (const folder of new Set([commonDir, gitDir])) openBelow(folder, folder, opened);
  return opened.map((path) => `${toShown(path)} had been closed: its owner may read it again`);
}

function openBelow(folder: ByteName, root: ByteName, opened: ByteName[]): void {
  const wasOpen = isOpen(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  if (!wasOpen && !reopen(folder, root, opened)) return;
  if ((wasOpen && looseFolder.test(folder)) || isTooDeep(folder)) return;
  for (const entry of entriesIn(folder, root)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) openBelow(path, root, opened);
    else if (entry.isFile() && openFile(path)) opened.push(path);
  }
}

function entriesIn(folder: ByteName, root: ByteName): readonly Dirent[] {
  const entries = entriesOf(folder) ?? [];
  return folder === root ? entries.filter(({ name }) => name !== ours) : entries;
}

function reopen(folder: ByteName, root: ByteName, opened: ByteName[]): boolean {
  if (!openFolder(folder)) return false;
  if (folder !== root) likeRoot(folder, root);
  opened.push(folder);
  return true;
}

/** What its mode was is known to nobody: git gives all its folders the same. */
function likeRoot(folder: ByteName, root: ByteName): void {
  const stat = statOf(root);
  if (stat !== undefined) chmodSync(toPath(folder), (stat.mode & 0o7777) | 0o700);
}

function isOpen(path: ByteName, rights: number): boolean {
  try {
    accessSync(toPath(path), rights);
    return true;
  } catch {
    return false;
  }
}

/** False where it is open already, or cannot be. */
function openFile(path: ByteName): boolean {
  if (isOpen(path, constants.R_OK)) return false;
  try {
    chmodSync(toPath(path), 0o600);
    return true;
  } catch {
    return false;
  }
}
