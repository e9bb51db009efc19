import type { ByteName } from './byte-name.ts';
import { entriesOf, errorCode, isTooDeep, linkTarget, readRegular, statOf } from './raw-files.ts';

/** Name to object id, or `ref: NAME` for a symbolic ref; '' where the file holds neither. */
export type Refs = ReadonlyMap<ByteName, string>;

export interface RefPlaces {
  readonly gitDir: ByteName;
  readonly commonDir: ByteName;
}

export interface RefReading {
  /** `ref: refs/heads/main`, an object id when detached, '' where HEAD cannot be read. */
  readonly head: string;
  readonly refs: Refs;
  /** Absolute paths among the refs that git would trip over: locks, FIFOs, folders that are links, a packed-refs that is none. */
  readonly odd: readonly ByteName[];
}

const value = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Kept per work tree, also in a linked one (gitrepository-layout(5)). */
const ownFolders = ['refs/bisect', 'refs/worktree', 'refs/rewritten'];

/**
 * All refs, read from git's own files: it costs no process, shows broken refs, and cannot be caught by a FIFO among them.
 * Only for the files backend; see gitrepository-layout(5), git-pack-refs(1).
 */
export function readRefFiles(places: RefPlaces): RefReading {
  const refs = new Map<ByteName, string>();
  const odd: ByteName[] = [];
  if (!readPacked(`${places.commonDir}/packed-refs`, refs))
    odd.push(`${places.commonDir}/packed-refs`);
  const isLinked = places.gitDir !== places.commonDir;
  const into = { refs, odd };
  readLoose(places.commonDir, 'refs', { ...into, skip: isLinked ? ownFolders : [] });
  if (isLinked)
    for (const folder of ownFolders) readLoose(places.gitDir, folder, { ...into, skip: [] });
  return { head: readHead(places.gitDir), refs, odd };
}

/** False where the file is there, but is no packed-refs. */
function readPacked(path: ByteName, refs: Map<ByteName, string>): boolean {
  const bytes = readRegular(path);
  if (bytes === undefined) return statOf(path) === undefined;
  const lines = bytes.toString('latin1').split('\n');
  if (lines.pop() !== '') return bytes.length === 0;
  for (const line of lines) {
    if (line.startsWith('#') || line.startsWith('^')) continue;
    const end = line.indexOf(' ');
    const id = line.slice(0, end);
    if (!value.test(id)) return false;
    refs.set(line.slice(end + 1), id);
  }
  return true;
}

interface LooseInto {
  readonly refs: Map<ByteName, string>;
  readonly odd: ByteName[];
  readonly skip: readonly ByteName[];
}

function readLoose(root: ByteName, folder: ByteName, into: LooseInto): void {
  if (into.skip.includes(folder)) return;
  if (isTooDeep(`${root}/${folder}`)) {
    into.odd.push(`${root}/${folder}`);
    return;
  }
  for (const entry of entriesOf(`${root}/${folder}`) ?? []) {
    const name = `${folder}/${entry.name}`;
    const path = `${root}/${name}`;
    if (entry.isDirectory()) readLoose(root, name, into);
    else if (entry.isFile() && !name.endsWith('.lock')) into.refs.set(name, readRefFile(path));
    else if (entry.isSymbolicLink() && linkTarget(path).startsWith('refs/'))
      into.refs.set(name, `ref: ${linkTarget(path)}`);
    else into.odd.push(path);
  }
}

/** One ref's file: an object id, `ref: NAME`, or '' for anything else. */
function readRefFile(path: ByteName): string {
  const text = readOrNothing(path).trimEnd();
  if (value.test(text)) return text;
  const target = /^ref:\s*(refs\/\S.*)$/.exec(text)?.[1];
  return target === undefined ? '' : `ref: ${target}`;
}

function readOrNothing(path: ByteName): string {
  try {
    return readRegular(path)?.toString('latin1') ?? '';
  } catch (error) {
    if (errorCode(error) === 'EACCES') return '';
    throw error;
  }
}

/** As RefReading.head. */
export function readHead(gitDir: ByteName): string {
  return readRefFile(`${gitDir}/HEAD`);
}

/** The object id that a full ref name stands for, symbolic refs followed; '' where there is none. One or two files are read. */
export function resolveRef(places: RefPlaces, name: ByteName, depth = 5): string {
  const isOwn = name === 'HEAD' || ownFolders.some((folder) => name.startsWith(`${folder}/`));
  const loose = readRefFile(`${isOwn ? places.gitDir : places.commonDir}/${name}`);
  if (loose.startsWith('ref: '))
    return depth === 0 ? '' : resolveRef(places, loose.slice(5), depth - 1);
  if (loose !== '') return loose;
  return packedValue(`${places.commonDir}/packed-refs`, name);
}

/** Of one ref among many thousands. */
function packedValue(path: ByteName, name: ByteName): string {
  const bytes = readRegular(path) ?? Buffer.alloc(0);
  const end = bytes.indexOf(` ${name}\n`, 0, 'latin1');
  if (end < 0) return '';
  const id = bytes.toString('latin1', bytes.lastIndexOf('\n', end) + 1, end);
  return value.test(id) ? id : '';
}
