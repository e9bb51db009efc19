import type { Dirent, Stats } from 'node:fs';
import type { ByteName } from './byte-name.ts';
import { entriesOf, errorCode, isTooDeep, isWritableFolder, statOf } from './raw-files.ts';

export type SpecialKind = 'FIFO' | 'socket' | 'device';

/** What git's own listing of a work tree does not say. Paths are relative to the top. */
export interface Walk {
  /** Opening one of these may hang for ever. */
  readonly specials: ReadonlyMap<ByteName, SpecialKind>;
  /** Folders that hold a `.git`: repositories inside this one. They are not entered. */
  readonly repositories: readonly ByteName[];
  /** Folders that may not be listed or entered, or lie too deep for the system to name what is in them. */
  readonly unreadable: readonly ByteName[];
  /** Folders in which nothing may be made or removed. */
  readonly closed: readonly ByteName[];
  /** `.gitignore` files that are regular. */
  readonly ignoreFiles: readonly ByteName[];
  readonly attributeFiles: readonly ByteName[];
  /** Folders without any file git could track, at any depth, with their modes. */
  readonly bareFolders: ReadonlyMap<ByteName, number>;
  /** Modes other than git would give a new file or folder: only where asked for. */
  readonly oddModes: ReadonlyMap<ByteName, number>;
}

export interface WalkOptions {
  /** Folders that are not entered: the ignored ones. */
  readonly skip: ReadonlySet<ByteName>;
  /** Files that do not count when it is asked whether a folder is bare: the ignored ones. */
  readonly ignored?: ReadonlySet<ByteName>;
  /** Where given, the mode of each file and folder is looked at: that costs a call for each. */
  readonly usual?: UsualModes;
}

interface Walking extends WalkOptions {
  readonly top: ByteName;
  readonly specials: Map<ByteName, SpecialKind>;
  readonly repositories: ByteName[];
  readonly unreadable: ByteName[];
  readonly closed: ByteName[];
  readonly ignoreFiles: ByteName[];
  readonly attributeFiles: ByteName[];
  readonly bareFolders: Map<ByteName, number>;
  readonly oddModes: Map<ByteName, number>;
}

/** Walks a work tree. Links are not followed, nothing is opened but folders. */
export function walkTree(top: ByteName, options: WalkOptions): Walk {
  const walking: Walking = {
    ...options,
    top,
    specials: new Map(),
    repositories: [],
    unreadable: [],
    closed: [],
    ignoreFiles: [],
    attributeFiles: [],
    bareFolders: new Map(),
    oddModes: new Map(),
  };
  if (options.usual) noteMode('', top, walking);
  walkFolder('', list(top) ?? [], walking);
  return walking;
}

/** Modes that git gives a new file, program or folder: of a mode it keeps one bit (gitformat-index(5)). */
export interface UsualModes {
  readonly file: number;
  readonly program: number;
}

/** True where a file git could track lies in the folder or below it. */
function walkFolder(folder: ByteName, entries: readonly Dirent[], walking: Walking): boolean {
  let holdsFile = false;
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (path === '.git') continue;
    holdsFile =
      (entry.isDirectory() ? enter(path, walking) : see(path, entry, walking)) || holdsFile;
  }
  return holdsFile;
}

function enter(path: ByteName, walking: Walking): boolean {
  if (walking.skip.has(path)) return false;
  const absolute = `${walking.top}/${path}`;
  const entries = list(absolute);
  if (entries === undefined) {
    walking.unreadable.push(path);
    return true;
  }
  const mode = walking.usual ? noteMode(path, absolute, walking) : 0;
  if (!isWritableFolder(absolute)) walking.closed.push(path);
  if (entries.some((entry) => entry.name === '.git')) {
    walking.repositories.push(path);
    return true;
  }
  const holdsFile = walkFolder(path, entries, walking);
  if (!holdsFile) walking.bareFolders.set(path, mode);
  return holdsFile;
}

/** Undefined where it may not be listed or entered, or lies too deep; empty where it has just vanished. */
function list(folder: ByteName): readonly Dirent[] | undefined {
  if (isTooDeep(folder)) return undefined;
  try {
    const entries = entriesOf(folder) ?? [];
    if (entries.length > 0) statOf(`${folder}/.`);
    return entries;
  } catch (error) {
    if (errorCode(error) === 'EACCES') return undefined;
    throw error;
  }
}

function see(path: ByteName, entry: Dirent, walking: Walking): boolean {
  const special = specialKind(entry);
  if (special !== undefined) {
    walking.specials.set(path, special);
    return false;
  }
  if (walking.usual && entry.isFile()) noteMode(path, `${walking.top}/${path}`, walking);
  if (entry.name === '.gitignore' && entry.isFile()) walking.ignoreFiles.push(path);
  if (entry.name === '.gitattributes' && entry.isFile()) walking.attributeFiles.push(path);
  return walking.ignored?.has(path) !== true;
}

export function specialKind(entry: Dirent | Stats): SpecialKind | undefined {
  if (entry.isFIFO()) return 'FIFO';
  if (entry.isSocket()) return 'socket';
  return entry.isBlockDevice() || entry.isCharacterDevice() ? 'device' : undefined;
}

function noteMode(path: ByteName, absolute: ByteName, walking: Walking): number {
  const stat = statOf(absolute);
  if (stat === undefined) return 0;
  const mode = stat.mode & 0o7777;
  const isUsual =
    mode === walking.usual?.program || (mode === walking.usual?.file && stat.isFile());
  if (!isUsual) walking.oddModes.set(path, mode);
  return mode;
}
