import { chmodSync } from 'node:fs';
import { toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Places } from './located-repository.ts';
import {
  entriesOf,
  isReadable,
  isTooDeep,
  isWritableFolder,
  openFolder,
  statOf,
} from './raw-files.ts';

/** Our own, whose quarantine holds closed things on purpose. */
const ours = 'skeleton';
/** Loose objects are many: they are looked at only in a folder that was closed. */
const looseFolder = /\/objects\/[0-9a-f]{2}$/;

/**
 * An attempt may close folders and files of the git directory to everybody (`chmod 000 .git/objects`): the owner's rights come
 * back before anything is read there. Gives what it did, in words. Root is never shut out, so for root nothing is looked at.
 */
export function openGitFolders({ top, gitDir, commonDir }: Places): readonly string[] {
  if (process.getuid?.() === 0) return [];
  const opened: ByteName[] = [];
  if (!isWritableFolder(top)) openFolder(top);
  for (const folder of new Set([commonDir, gitDir])) openBelow(folder, folder, opened);
  return opened.map((path) => `${toShown(path)} had been closed: its owner may read it again`);
}

function openBelow(folder: ByteName, root: ByteName, opened: ByteName[]): void {
  const wasClosed = !isListable(folder);
  if (wasClosed) {
    if (!openFolder(folder)) return;
    if (folder !== root) likeRoot(folder, root);
    opened.push(folder);
  }
  if ((looseFolder.test(folder) && !wasClosed) || isTooDeep(folder)) return;
  for (const entry of entriesOf(folder) ?? []) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !(folder === root && entry.name === ours))
      openBelow(path, root, opened);
    else if (entry.isFile() && !isReadable(path) && openFile(path)) opened.push(path);
  }
}

/** What its mode was is known to nobody: git gives all its folders the same. */
function likeRoot(folder: ByteName, root: ByteName): void {
  const stat = statOf(root);
  if (stat !== undefined) chmodSync(toPath(folder), (stat.mode & 0o7777) | 0o700);
}

function isListable(folder: ByteName): boolean {
  try {
    entriesOf(folder);
    return isWritableFolder(folder);
  } catch {
    return false;
  }
}

function openFile(path: ByteName): boolean {
  try {
    chmodSync(toPath(path), 0o600);
    return true;
  } catch {
    return false;
  }
}
