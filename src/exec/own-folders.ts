import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { startTimeOf } from './process-table.ts';

/**
 * Makes a new folder, for this user alone, whose name begins with the prefix and says which process made it: one that is killed
 * cannot take it away, and another has to know. Gives its path.
 */
export function makeOwnFolder(parent: string, prefix: string): string {
  const born = startTimeOf(process.pid) ?? '';
  return mkdtempSync(join(parent, `${prefix}${here()}-${process.pid}-${short(born)}-`));
}

/** Folders of that prefix of processes of this user, on this host, that are dead. */
export function deadFolders(parent: string, prefix: string): readonly string[] {
  return namesIn(parent)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(parent, name))
    .filter((folder) => isOfDead(folder, prefix) && isOwn(folder));
}

/** Removes them, as far as that goes. */
export function sweepFolders(parent: string, prefix: string): readonly string[] {
  return deadFolders(parent, prefix).filter((folder) => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      return true;
    } catch {
      // Closed by who worked there, or used again: whoever makes room by hand sees it.
      return false;
    }
  });
}

/** Whether the name says that a process of this host made it, and that one is dead. False where nothing tells. */
export function isOfDead(folder: string, prefix: string): boolean {
  const [, host, pid, born] = named.exec(basename(folder).slice(prefix.length)) ?? [];
  // Where the system does not even know us, it knows nobody.
  if (host !== here() || startTimeOf(process.pid) === undefined) return false;
  const now = startTimeOf(Number(pid));
  return now === undefined || short(now) !== born;
}

const named = /^(\w{6})-(\d+)-(\w{6})-\w{6}$/;

/** Containers that share a folder have process ids of their own. */
function here(): string {
  return short(hostname());
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOwn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.();
}
