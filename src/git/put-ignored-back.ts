import { renameSync } from 'node:fs';
import { toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { removeIfEmpty } from './in-the-way.ts';
import { entriesOf, isPlainBelow, statOf } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import type { Quarantine } from './quarantine.ts';

/**
 * Moves what stood in the way of setting aside back from quarantine: by renaming, and only to where nothing is. Gives what has
 * to stay there, with its place, for people. Safe to repeat.
 */
export function putIgnoredBack({ top }: Repository, quarantine: Quarantine): readonly string[] {
  return moveAllBack(top, quarantine, '');
}

function moveAllBack(top: ByteName, quarantine: Quarantine, folder: ByteName): readonly string[] {
  const from = withoutSlash(quarantine.pathOf('tree', folder));
  const left = (entriesOf(from) ?? []).flatMap(({ name }) =>
    moveBack(top, quarantine, folder === '' ? name : `${folder}/${name}`),
  );
  removeIfEmpty(from);
  return left;
}

function moveBack(top: ByteName, quarantine: Quarantine, name: ByteName): readonly string[] {
  const from = quarantine.pathOf('tree', name);
  const to = `${top}/${name}`;
  const stands = statOf(to);
  const isFolder = statOf(from)?.isDirectory() === true;
  if (isFolder && stands?.isDirectory() === true) return moveAllBack(top, quarantine, name);
  if (stands !== undefined || !isPlainBelow(top, name)) return [toShown(from)];
  try {
    renameSync(toPath(from), toPath(to));
    return [];
  } catch {
    // It is safe where it is, and that is said.
    return [toShown(from)];
  }
}

/** What putIgnoredBack would move, while nothing may be touched. */
export function keptIgnored(quarantine: Quarantine): readonly string[] {
  const folder = withoutSlash(quarantine.pathOf('tree', ''));
  return (entriesOf(folder) ?? []).map(({ name }) => toShown(`${folder}/${name}`));
}

function withoutSlash(path: ByteName): ByteName {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
