import { readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { firstFree, statOf } from '../exec/first-free.ts';

/** Folders of ours that everything else goes into; the state folder itself first. */
const folders = ['', 'logs', 'quarantine', 'worktrees', 'groups', 'trash'];

/**
 * Sets aside what stands where a folder or a lock of ours should be and is another kind of thing: a link above all, through
 * which we would write elsewhere. It is renamed beside its place, a link itself and not its target. Gives one line for people,
 * undefined where nothing was set aside. `time` is ISO 8601.
 */
export function setOddAside(stateFolder: string, time: string): string | undefined {
  const end = endOf(time);
  const places = folders.map((name) => (name === '' ? stateFolder : join(stateFolder, name)));
  const moved = [
    ...places.flatMap((path) => moveUnless(path, 'folder', end)),
    ...pathsIn(join(stateFolder, 'worktrees')).flatMap((path) => moveUnless(path, 'folder', end)),
    ...setLocksAside(join(stateFolder, 'locks'), time),
    ...moveUnless(join(stateFolder, 'pruned'), 'file', end),
  ];
  if (moved.length === 0) return undefined;
  const names = moved.map((path) => basename(path)).join(', ');
  return `what stood in the place of folders or files of ours (a link, or another kind of thing) is moved aside beside it, and made anew: ${names}`;
}

/** The same of the folder of locks alone, for who takes one. Gives the new paths. */
export function setLocksAside(folder: string, time: string): readonly string[] {
  const end = endOf(time);
  const moved = moveUnless(folder, 'folder', end);
  return [...moved, ...pathsIn(folder).flatMap((path) => moveUnless(path, 'file', end))];
}

function endOf(time: string): string {
  return `.moved-${time.replace(/[-:]|\.\d+/g, '')}`;
}

/** But for what was moved aside before. */
function pathsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => !name.includes('.moved-'));
    return names.map((name) => join(folder, name));
  } catch {
    // None yet, or closed to us: who comes to write there says so.
    return [];
  }
}

function moveUnless(path: string, kind: 'folder' | 'file', end: string): readonly string[] {
  const stat = statOf(path);
  if (stat === undefined) return [];
  if (kind === 'folder' ? stat.isDirectory() : stat.isFile()) return [];
  const to = firstFree(path + end);
  try {
    renameSync(path, to);
    return [to];
  } catch (error) {
    // Another process was faster.
    if (statOf(path) === undefined) return [];
    throw error;
  }
}
