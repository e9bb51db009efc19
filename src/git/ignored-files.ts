import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { foldersAbove, toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { entriesOf, errorCode, isPlainBelow, statOf } from './raw-files.ts';
import type { RecordWriter, Thing } from './record.ts';
import { isIgnored } from './status.ts';
import type { StatusLine } from './status.ts';
import { compareThing, putThing, recordThing } from './things.ts';

/** Bytes; contract, "Git": larger ignored files are not kept, but told of. */
const smallBytes = 2 ** 20;
/** Entries of an ignored folder that are looked at. */
const mostEntries = 2000;

export interface IgnoredThings {
  /** Small files and links, kept whole. */
  readonly small: readonly (readonly [ByteName, Thing])[];
  /** Folders and large files, by what a glance shows. */
  readonly others: readonly (readonly [ByteName, string])[];
}

/** `also`: paths in ignored folders that are kept all the same, because they are protected. */
export function recordIgnored(
  top: ByteName,
  lines: readonly StatusLine[],
  { writer, also }: { readonly writer: RecordWriter; readonly also: readonly ByteName[] },
): IgnoredThings {
  const ignored = lines.filter(isIgnored);
  const files = ignored.filter(({ isFolder }) => !isFolder).map(({ path }) => path);
  const small: (readonly [ByteName, Thing])[] = [];
  const large: ByteName[] = [];
  for (const path of new Set([...files, ...also])) {
    const thing = isSmall(`${top}/${path}`) ? record(`${top}/${path}`, writer) : undefined;
    if (thing === undefined) large.push(path);
    else small.push([path, thing]);
  }
  const folders = ignored.filter(({ isFolder }) => isFolder).map(({ path }) => path);
  const others = [...folders, ...large].map((path) => [path, glance(`${top}/${path}`)] as const);
  return { small, others };
}

function isSmall(path: ByteName): boolean {
  const stat = statOf(path);
  return stat?.isSymbolicLink() === true || (stat?.isFile() === true && stat.size <= smallBytes);
}

function record(path: ByteName, writer: RecordWriter): Thing | undefined {
  try {
    return recordThing(path, writer);
  } catch (error) {
    if (errorCode(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** Sizes and times of a file, or of a folder's direct entries: cheap, and shows most changes. */
function glance(path: ByteName): string {
  const stat = statOf(path);
  if (stat === undefined) return 'missing';
  const entries = stat.isDirectory() ? list(path).slice(0, mostEntries) : [];
  const hash = createHash('sha256').update(`${stat.size} ${stat.mtimeMs}`);
  for (const name of entries) {
    const entry = look(`${path}/${name}`);
    hash.update(`${name}\0${entry?.size ?? 0} ${entry?.mtimeMs ?? 0}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** In a folder that may be listed but not entered, nothing more than names is seen. */
function look(path: ByteName): Stats | undefined {
  try {
    return statOf(path);
  } catch (error) {
    if (errorCode(error) === 'EACCES') return undefined;
    throw error;
  }
}

function list(folder: ByteName): readonly ByteName[] {
  try {
    return (entriesOf(folder) ?? []).map(({ name }) => name);
  } catch (error) {
    if (errorCode(error) === 'EACCES') return [];
    throw error;
  }
}

/** Small ignored files as they were; the attempt's versions go to quarantine. What else changed there is only told. */
export function restoreIgnored(attempt: OpenAttempt): readonly string[] {
  const { repository, record: then, quarantine } = attempt;
  const notices: string[] = [];
  for (const [path, thing] of then.ignored) {
    const absolute = `${repository.top}/${path}`;
    const isPlain = isPlainBelow(repository.top, path);
    const difference = isPlain ? compareThing(absolute, thing) : 'missing';
    if (difference === 'same') continue;
    if (difference === 'other') {
      const where = quarantine.take(absolute, 'ignored', path);
      notices.push(
        `${toShown(path)}, which git ignores, is put back; as the attempt left it: ${where}`,
      );
    } else notices.push(`${toShown(path)}, which git ignores, is put back`);
    makeWay(attempt, path);
    putThing(absolute, thing, then.bytesOf);
  }
  const changed = then.ignoredOthers
    .filter(([path, seen]) => glance(`${repository.top}/${path}`) !== seen)
    .map(([path]) => toShown(path));
  if (changed.length === 0) return notices;
  return [...notices, `ignored by git, changed, and left so: ${changed.join(', ')}`];
}

/** What became of ignored files in an attempt that passed: nothing is put back, so people are told. */
export function tellIgnored({ repository, record: then }: OpenAttempt): readonly string[] {
  const standing = (path: ByteName): boolean => look(`${repository.top}/${path}`) !== undefined;
  const watched = [...then.ignored, ...then.ignoredOthers].map(([path]) => path);
  const gone = watched.filter((path) => !standing(path));
  const changed = then.ignored
    .filter(([path]) => standing(path))
    .filter(([path, thing]) => compareThing(`${repository.top}/${path}`, thing) === 'other')
    .map(([path]) => path);
  const tell = (what: string, paths: readonly ByteName[]): readonly string[] =>
    paths.length === 0 ? [] : [`ignored by git, ${what}: ${shownList(paths)}`];
  return [
    ...tell('and gone since the attempt began, in no commit', gone),
    ...tell('and changed since the attempt began', changed),
  ];
}

const mostNames = 10;

export function shownList(paths: readonly ByteName[]): string {
  const more = paths.length > mostNames ? ` and ${paths.length - mostNames} more` : '';
  return paths.slice(0, mostNames).map(toShown).join(', ') + more;
}

/** The folders above a path, for real: a link that stands for one would lead us elsewhere. */
export function makeWay({ repository, quarantine }: OpenAttempt, path: ByteName): void {
  for (const folder of foldersAbove(path)) {
    const absolute = `${repository.top}/${folder}`;
    const stat = statOf(absolute);
    if (stat?.isDirectory() === true) continue;
    if (stat !== undefined) quarantine.take(absolute, 'ignored', folder);
    mkdirSync(toPath(absolute));
  }
}
