import { mkdirSync, renameSync } from 'node:fs';
import { firstFree, statOf } from './first-free.ts';

/** Where a run's logs go, in the state folder; an agent may have been at it. */
const place = '/skeleton/logs/';

/**
 * Makes the folder of a log (0700), missing ones above included. Below `skeleton/logs` nothing is followed out of it: a link, or
 * what else is no folder, is renamed beside its place.
 */
export function makeLogFolder(folder: string): void {
  const start = folder.lastIndexOf(place);
  const root = start === -1 ? folder : folder.slice(0, start + '/skeleton'.length);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  let path = root;
  for (const part of folder.slice(root.length).split('/').filter(Boolean)) {
    path += `/${part}`;
    if (statOf(path)?.isDirectory() === true) continue;
    if (statOf(path) !== undefined) renameSync(path, firstFree(`${path}.moved`));
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}
