import { lstatSync, renameSync } from 'node:fs';

/** A ledger is these files; the main one last, so that a kill in between leaves what is still called damaged. */
const parts = ['-wal', '-shm', ''];

/**
 * Moves a ledger that cannot be trusted out of the way: `ledger.db.damaged-TIME`, with its -wal and -shm. Nothing is
 * overwritten or deleted; of a link it is the link itself. Gives the new path. `time` is ISO 8601.
 */
export function keepAside(path: string, time: string): string {
  const stamp = time.replace(/[-:]|\.\d+/g, '');
  const to = firstFree(`${path}.damaged-${stamp}`);
  for (const part of parts) if (isThere(path + part)) renameSync(path + part, to + part);
  return to;
}

function firstFree(name: string): string {
  let free = name;
  for (let count = 2; parts.some((part) => isThere(free + part)); count += 1)
    free = `${name}-${count}`;
  return free;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
