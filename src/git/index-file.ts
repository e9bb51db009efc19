import type { ByteName } from './byte-name.ts';
import type { ObjectFormat } from './located-repository.ts';

/** What we need of an entry of git's index (gitformat-index(5)). */
export interface IndexEntry {
  readonly path: ByteName;
  readonly mode: number;
  readonly oid: string;
  /** 0, or 1 to 3 for a side of a conflict. */
  readonly stage: number;
  readonly assumeUnchanged: boolean;
  readonly skipWorktree: boolean;
  /** Listed without content: `git add --intent-to-add`. */
  readonly intentToAdd: boolean;
}

const signature = 'DIRC';
/** Before the object id: times, device, inode, mode, owner, size. */
const statBytes = 40;
const modeAt = 24;
const flag = { assumeUnchanged: 0x8000, extended: 0x4000, stage: 0x3000, length: 0x0fff };
const skipWorktreeFlag = 0x4000;
const intentToAddFlag = 0x2000;

/**
 * Calls `visit` for each entry of an index file of version 2, 3 or 4. Git itself has no call that gives flags, modes and ids
 * at once, and a process per question adds up. Throws where it is no such file. An entry of a split index stays unseen.
 */
export function visitIndex(
  bytes: Buffer,
  format: ObjectFormat,
  visit: (entry: IndexEntry) => void,
): void {
  const oidBytes = oidLength(format);
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== signature)
    throw new Error('not an index of git');
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  let at = 12;
  let path = '';
  for (let i = 0; i < count; i += 1) {
    const head = readEntryHead(bytes, at, oidBytes);
    const name = version === 4 ? shareName(bytes, head.end, path) : ownName(bytes, head.end);
    path = name.path;
    at = version === 4 ? name.end : padded(at, name.end);
    visit({ ...head.entry, path });
  }
}

export function oidLength(format: ObjectFormat): number {
  return format === 'sha1' ? 20 : 32;
}

/** Versions 2 and 3 fill up with 1 to 8 NULs to a multiple of 8. */
function padded(start: number, end: number): number {
  return start + ((end - start + 8) & ~7);
}

interface EntryHead {
  readonly entry: Omit<IndexEntry, 'path'>;
  readonly end: number;
}

function readEntryHead(bytes: Buffer, at: number, oidBytes: number): EntryHead {
  const flagsAt = at + statBytes + oidBytes;
  const flags = bytes.readUInt16BE(flagsAt);
  const isExtended = (flags & flag.extended) !== 0;
  const extended = isExtended ? bytes.readUInt16BE(flagsAt + 2) : 0;
  return {
    entry: {
      mode: bytes.readUInt32BE(at + modeAt),
      oid: bytes.toString('hex', at + statBytes, flagsAt),
      stage: (flags & flag.stage) >> 12,
      assumeUnchanged: (flags & flag.assumeUnchanged) !== 0,
      skipWorktree: (extended & skipWorktreeFlag) !== 0,
      intentToAdd: (extended & intentToAddFlag) !== 0,
    },
    end: flagsAt + (isExtended ? 4 : 2),
  };
}

interface ReadName {
  readonly path: ByteName;
  readonly end: number;
}

function ownName(bytes: Buffer, at: number): ReadName {
  const end = bytes.indexOf(0, at);
  return { path: bytes.toString('latin1', at, end), end };
}

/** Version 4: how much of the last path's end to drop, as a variable-length number, then what follows instead. */
function shareName(bytes: Buffer, start: number, last: ByteName): ReadName {
  let at = start;
  let byte = bytes.readUInt8(at);
  let drop = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes.readUInt8(at);
    drop = ((drop + 1) << 7) | (byte & 0x7f);
  }
  const end = bytes.indexOf(0, at + 1);
  return {
    path: last.slice(0, last.length - drop) + bytes.toString('latin1', at + 1, end),
    end: end + 1,
  };
}
