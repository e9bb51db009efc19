import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { openHouse, type Environment } from '../compose.ts';
import { oneLine } from '../core/text.ts';

/** A work tree as `git status` sees it, with what tells a second change of a changed file; by path. */
export type TreePicture = ReadonlyMap<string, string>;

/** Reads only. Ignored files are not in it. */
export async function pictureOf(cwd: string, env: Environment): Promise<TreePicture> {
  const house = await openHouse(cwd, env);
  const { top, head, branch } = house.facts;
  const dirt = await (await house.workspace()).dirt();
  return new Map([
    ['HEAD', `${branch ?? ''} ${head ?? ''}`],
    ...dirt.map(({ code, path }) => [path, `${code} ${stampOf(join(top, path))}`] as const),
  ]);
}

function stampOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.mode}`;
}

const MOST_NAMED = 5;

/** What changed between two pictures, for people: paths; '' where nothing did. */
export function spellChanges(before: TreePicture, after: TreePicture): string {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return `${paths.slice(0, MOST_NAMED).map(oneLine).join(', ')}${more}`;
}
