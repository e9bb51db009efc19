import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { namedByPath } from '../core/own-things.ts';
import type { OwnThing } from '../core/own-things.ts';
import { toByteName, toPath, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { entriesOf, errorCode, isTooDeep, openFolder, statOf } from './raw-files.ts';
import type { Repository } from './located-repository.ts';

type Place = Pick<Repository, 'commonDir'>;

/** In a work tree's folder; see record.ts, aside-record.ts, move-record.ts. What else lies there is a cache. */
export const records = ['attempt', 'aside', 'move'] as const;

const stateOf = ({ commonDir }: Place): ByteName => `${commonDir}/skeleton`;
/** Where the state folder goes before it is removed: out of the way at once, whatever happens then. */
const removedState = ({ commonDir }: Place): ByteName => `${commonDir}/skeleton.removed`;

/** How deep below the state folder one thing lies: `quarantine/PLAN/TASK/N`, `logs/RUN`. */
const depths: Readonly<Record<string, number>> = { logs: 2, quarantine: 4, worktrees: 2, trash: 2 };

/** Everything in the state folder, as `Pruner.files`. */
export function readOwnFiles(place: Place): readonly OwnThing[] {
  const root = stateOf(place);
  const names = (entriesOf(root) ?? []).flatMap(({ name }) =>
    below(root, name, (depths[name] ?? 1) - 1),
  );
  const left = statOf(removedState(place)) === undefined ? [] : ['../skeleton.removed'];
  return [...names, ...left].map((name) => thingAt(root, name));
}

function below(root: ByteName, name: ByteName, depth: number): readonly ByteName[] {
  if (depth === 0 || statOf(`${root}/${name}`)?.isDirectory() !== true) return [name];
  const entries = tryEntries(`${root}/${name}`);
  // An empty folder is nothing; `state` things of a known folder would be told as such.
  return entries.flatMap((entry) => below(root, `${name}/${entry}`, depth - 1));
}

function thingAt(root: ByteName, name: ByteName): OwnThing {
  const named = name.startsWith('../') ? { kind: 'trash' as const } : namedByPath(toText(name));
  const isUsed =
    named.kind === 'private' &&
    ['aside', 'move'].some((record) => statOf(`${root}/${name}/${record}`) !== undefined);
  const kind = isUsed ? 'state' : named.kind;
  return { ...named, kind, name: toText(name), ...measure(`${root}/${name}`) };
}

/** Bytes of all files, and the newest time of any file or folder: a folder's is when something was put there. */
function measure(path: ByteName): Pick<OwnThing, 'at' | 'bytes'> {
  const stat = statOf(path);
  if (stat === undefined) return { at: Infinity, bytes: 0 };
  if (!stat.isDirectory()) return { at: stat.mtimeMs, bytes: stat.isFile() ? stat.size : 0 };
  let sum = { at: stat.mtimeMs, bytes: 0 };
  for (const entry of tryEntries(path)) {
    const { at, bytes = 0 } = measure(`${path}/${entry}`);
    sum = { at: Math.max(sum.at, at), bytes: sum.bytes + bytes };
  }
  return sum;
}

/** Nothing of a folder that is closed to us, or lies too deep for the system. */
function tryEntries(path: ByteName): readonly ByteName[] {
  try {
    return isTooDeep(path) ? [] : (entriesOf(path) ?? []).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** As `Pruner.removeFiles`. A thing leaves its place by one rename, so that a kill leaves no half of it there. */
export function removeOwnFiles(place: Place, things: readonly OwnThing[]): readonly string[] {
  const root = stateOf(place);
  const trash = `${root}/trash`;
  const failures: string[] = [];
  for (const [nth, { name, kind }] of things.entries()) {
    if (kind === 'trash') continue;
    failures.push(
      ...attempt(name, () => throwAway(root, toByteName(name), `${trash}/${process.pid}-${nth}`)),
    );
  }
  return [...failures, ...empty(trash), ...empty(removedState(place))];
}

function throwAway(root: ByteName, name: ByteName, to: ByteName): void {
  mkdirSync(toPath(`${root}/trash`), { recursive: true, mode: 0o700 });
  rmSync(toPath(to), { recursive: true, force: true });
  renameSync(toPath(`${root}/${name}`), toPath(to));
  removeEmptyAbove(root, name);
}

function removeEmptyAbove(root: ByteName, name: ByteName): void {
  const above = name.slice(0, name.lastIndexOf('/'));
  // The folders of the first level stay: others may be about to write there.
  if (!above.includes('/') || entriesOf(`${root}/${above}`)?.length !== 0) return;
  rmSync(toPath(`${root}/${above}`), { recursive: true, force: true });
  removeEmptyAbove(root, above);
}

/** As `Pruner.removeState`. */
export function removeStateFolder(place: Place): () => readonly string[] {
  const away = removedState(place);
  const before = empty(away);
  if (before.length > 0) return () => before;
  if (statOf(stateOf(place)) !== undefined) renameSync(toPath(stateOf(place)), toPath(away));
  return () => empty(away);
}

function empty(folder: ByteName): readonly string[] {
  if (statOf(folder) === undefined) return [];
  openAll(folder);
  return attempt(toShown(folder), () => {
    rmSync(toPath(folder), { recursive: true, force: true, maxRetries: 2 });
  });
}

/** Folders that an agent has closed can be entered again by their owner. */
function openAll(path: ByteName): void {
  if (statOf(path)?.isDirectory() !== true || isTooDeep(path)) return;
  openFolder(path);
  for (const entry of tryEntries(path)) openAll(`${path}/${entry}`);
}

function attempt(name: string, work: () => void): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [`${name} could not be removed: ${errorCode(error) ?? String(error)}`];
  }
}
