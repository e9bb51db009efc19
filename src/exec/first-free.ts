import { lstatSync } from 'node:fs';

/** The path, or the path with `-2`, `-3` … at its end: the first at which nothing stands. */
export function firstFree(path: string): string {
  let free = path;
  for (let count = 2; statOf(free) !== undefined; count += 1) free = `${path}-${count}`;
  return free;
}

/** Undefined where nothing stands; a link is not followed. */
export function statOf(path: string): ReturnType<typeof lstatSync> {
  return lstatSync(path, { throwIfNoEntry: false });
}
