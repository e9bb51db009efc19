import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, fstatSync } from 'node:fs';
import type { AttemptId, AttemptRules } from '../ports.ts';
import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { piecesOf, withRegular, writeAll } from './raw-files.ts';
import type { UsualModes } from './walk.ts';

/** Where bytes lie in the record's file. */
export interface Kept {
  readonly at: number;
  readonly length: number;
  readonly sha256: string;
}

/** A file, link or folder as it was. */
export type Thing =
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: Kept }
  | { readonly kind: 'link'; readonly target: ByteName }
  | { readonly kind: 'folder'; readonly mode: number };

type Pairs<T> = readonly (readonly [name: ByteName, value: T])[];

/**
 * Everything an agent may damage, as it was where the attempt began: enough for another process to put it all back after a
 * crash. Paths are relative to the top of the work tree, but for `guarded`.
 */
export interface AttemptRecord {
  readonly version: 1;
  /** Absolute path of the work tree: an agent may have written another into the configuration. */
  readonly top: ByteName;
  readonly attempt: AttemptId;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly base: string;
  /** What lies in the work tree: the base's tree, unless the run's start is not committed yet. */
  readonly tree: string;
  readonly baseTree: string;
  readonly branch: ByteName;
  readonly refs: Pairs<string>;
  /** Annotated tags' own objects: no commit holds them where their ref is deleted. */
  readonly tagObjects: readonly Kept[];
  /** Absolute paths of configuration, hooks and the like, and of where more of them may appear. */
  readonly guarded: Pairs<Thing>;
  /** Small ignored files and links. */
  readonly ignored: Pairs<Thing>;
  /** Ignored folders and large ignored files, by what a glance shows. */
  readonly ignoredOthers: Pairs<string>;
  readonly ignoredFolders: readonly ByteName[];
  readonly ignoreFiles: Pairs<Thing>;
  /** Tracked files whose bytes a checkout would not give back: mixed line ends, say. */
  readonly rawFiles: Pairs<Thing>;
  /** Line ends or encodings are converted here. */
  readonly converts: boolean;
  readonly bareFolders: Pairs<number>;
  readonly oddModes: Pairs<number>;
  readonly usualModes: UsualModes;
  readonly specials: readonly ByteName[];
  readonly repositories: readonly ByteName[];
  readonly unreadable: readonly ByteName[];
  /** Files on disk that judge the attempt and that git does not watch, with digests. */
  readonly protectedFiles: Pairs<string>;
  /** What the attempt may not make or change. */
  readonly guarding?: Pick<AttemptRules, 'protect' | 'protectNew' | 'mayChange' | 'judges'>;
  /** SHA-256 of the user's index file; '' for none. */
  readonly userIndex: string;
  readonly flags: { readonly skip: readonly ByteName[]; readonly assume: readonly ByteName[] };
  /** The mode is undefined where no plan lay in the work tree; `ticked` is a SHA-256. */
  readonly plan: {
    readonly path: ByteName;
    readonly mode: number | undefined;
    readonly before: Kept;
    readonly ticked: string;
  };
  /** Only of a person's attempt. */
  readonly taken?: TakenRecord;
  readonly maxFile: number;
  /** Lengths of HEAD's and the branch's reflog: what comes after is what happened since. */
  readonly reflog: number;
  readonly branchLogSize: number;
  readonly stashLog: Kept | undefined;
}

/** What a person had in the work tree that the base has not, byte for byte: filters and line ends have no say in it. */
export interface TakenRecord {
  /** Where the branch stood, even if somebody has committed since. */
  readonly base: string;
  readonly plan?: Thing;
  /** Changed and untracked files and links. */
  readonly things: Pairs<Thing>;
  /** Tracked paths that were deleted. */
  readonly gone: readonly ByteName[];
  /** What is too large or too odd to be kept here. */
  readonly others: readonly ByteName[];
  /** Undefined where there was none; the time as in IndexContent. */
  readonly index?: { readonly bytes: Kept; readonly time: number };
}

/** An open record. Its file stays readable here even when an agent deletes it. */
export interface OpenRecord extends AttemptRecord {
  /** Throws where the file was overwritten meanwhile. */
  readonly bytesOf: (kept: Kept) => Buffer;
  readonly close: () => void;
}

const tailBytes = 8;

function recordPath(state: ByteName): ByteName {
  return `${state}/attempt`;
}

/** Takes bytes one after the other; `finish` makes the record durable under its name, or nothing stands there. */
export interface RecordWriter {
  keep(bytes: Uint8Array): Kept;
  /** Undefined where there is no regular file (any more). */
  keepFile(path: ByteName): Kept | undefined;
  finish(record: AttemptRecord): OpenRecord;
  abandon(): void;
}

/** In our own folder of the work tree. */
export function createRecord(state: ByteName): RecordWriter {
  const path = recordPath(state);
  const beside = `${path}.new`;
  rmSync(toPath(beside), { force: true });
  const fd = openSync(toPath(beside), 'wx+', 0o600);
  let at = 0;
  const keepPieces = (pieces: Iterable<Uint8Array>): Kept => {
    const start = at;
    const hash = createHash('sha256');
    for (const piece of pieces) {
      writeAll(fd, piece);
      hash.update(piece);
      at += piece.length;
    }
    return { at: start, length: at - start, sha256: hash.digest('hex') };
  };
  return {
    keep: (bytes) => keepPieces([bytes]),
    keepFile: (file) => withRegular(file, (open) => keepPieces(piecesOf(open))),
    finish: (record) => {
      const json = Buffer.from(JSON.stringify(record));
      const tail = Buffer.alloc(tailBytes);
      tail.writeBigUInt64BE(BigInt(json.length));
      writeAll(fd, Buffer.concat([json, tail]));
      fsyncSync(fd);
      renameSync(toPath(beside), toPath(path));
      syncFolder(state);
      return openOn(fd, record);
    },
    abandon: () => {
      closeSync(fd);
      rmSync(toPath(beside), { force: true });
    },
  };
}

function syncFolder(folder: ByteName): void {
  const fd = openSync(toPath(folder), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function openOn(fd: number, record: AttemptRecord): OpenRecord {
  return {
    ...record,
    bytesOf: (kept) => {
      const bytes = readAt(fd, kept.at, kept.length);
      if (createHash('sha256').update(bytes).digest('hex') !== kept.sha256)
        throw new Error('the record of the attempt was overwritten');
      return bytes;
    },
    close: () => closeSync(fd),
  };
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const read = readSync(fd, bytes, done, length - done, at + done);
    if (read === 0) throw new Error('the record of the attempt was cut off');
    done += read;
  }
  return bytes;
}

/** The record that a process before us left; undefined where there is none, or no whole one. */
export function loadRecord(state: ByteName): OpenRecord | undefined {
  const path = recordPath(state);
  if (withRegular(path, () => true) !== true) return undefined;
  const fd = openSync(toPath(path), 'r');
  try {
    const size = fstatSync(fd).size;
    const length = Number(readAt(fd, size - tailBytes, tailBytes).readBigUInt64BE());
    const json = readAt(fd, size - tailBytes - length, length).toString();
    const { version, ...record } = JSON.parse(json) as Omit<AttemptRecord, 'version'> & {
      readonly version: number;
    };
    if (version === 1) return openOn(fd, { version, ...record });
  } catch {
    // Torn or foreign: as good as none.
  }
  closeSync(fd);
  return undefined;
}

/** The work tree of the attempt that is under way, or was when its process died. */
export function recordedTop(state: ByteName): ByteName | undefined {
  const record = loadRecord(state);
  record?.close();
  return record?.top;
}

export function deleteRecord(state: ByteName): void {
  rmSync(toPath(recordPath(state)), { force: true });
}
