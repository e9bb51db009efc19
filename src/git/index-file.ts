import type { ByteName } from './byte-name.ts';
import type { ObjectFormat } from './located-repository.ts';

/** What we need of an entry of git's index (gitformat-index(5)). */
export interface IndexEntry extends EntryFlags {
  readonly path: ByteName;
  readonly mode: number;
  readonly oid: string;
}

interface EntryFlags {
  /** 0, or 1 to 3 for a side of a conflict. */
  readonly stage: number;
  readonly assumeUnchanged: boolean;
  readonly skipWorktree: boolean;
  /** Listed without content: `git add --intent-to-add`. */
  readonly intentToAdd: boolean;
}

const signature = 'DIRC';
const headerBytes = 12;
/** Before the object id: times, device, inode, mode, owner, size. */
const statBytes = 40;
const modeAt = 24;
const flag = { assumeUnchanged: 0x8000, extended: 0x4000, stage: 0x3000, length: 0x0fff };
const extendedFlag = { skipWorktree: 0x4000, intentToAdd: 0x2000 };

/**
 * Calls `visit` for each entry of an index file of version 2, 3 or 4, or only for those with flags that hide changes. Git has
 * no call that gives flags, modes and ids at once, and a process per question adds up. Throws where it is no such file. An
 * entry of a split index stays unseen.
 */
export function visitIndex(
  bytes: Buffer,
  format: ObjectFormat,
  visit: (entry: IndexEntry) => void,
  which: 'all' | 'flagged' = 'all',
): void {
  if (bytes.length < headerBytes || bytes.toString('latin1', 0, 4) !== signature)
    throw new Error('not an index of git');
  const sharesNames = bytes.readUInt32BE(4) === 4;
  const oidBytes = oidLength(format);
  let at = headerBytes;
  let last = '';
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const head = readHead(bytes, at, oidBytes);
    const { assumeUnchanged, skipWorktree } = head.flags;
    const isWanted = which === 'all' || assumeUnchanged || skipWorktree;
    const name = sharesNames ? shareName(bytes, head, last) : ownName(bytes, head, isWanted);
    last = name.path;
    if (isWanted) visit(readEntry(bytes, head, name.path));
    at = name.next;
  }
}

export function oidLength(format: ObjectFormat): number {
  return format === 'sha1' ? 20 : 32;
}

interface EntryHead {
  readonly at: number;
  readonly oidEnd: number;
  readonly nameAt: number;
  /** Of the name; 0xfff for that or more. */
  readonly nameLength: number;
  readonly flags: EntryFlags;
}

function readHead(bytes: Buffer, at: number, oidBytes: number): EntryHead {
  const oidEnd = at + statBytes + oidBytes;
  const flags = bytes.readUInt16BE(oidEnd);
  const isExtended = (flags & flag.extended) !== 0;
  const extended = isExtended ? bytes.readUInt16BE(oidEnd + 2) : 0;
  return {
    at,
    oidEnd,
    nameAt: oidEnd + (isExtended ? 4 : 2),
    nameLength: flags & flag.length,
    flags: {
      stage: (flags & flag.stage) >> 12,
      assumeUnchanged: (flags & flag.assumeUnchanged) !== 0,
      skipWorktree: (extended & extendedFlag.skipWorktree) !== 0,
      intentToAdd: (extended & extendedFlag.intentToAdd) !== 0,
    },
  };
}

function readEntry(bytes: Buffer, { at, oidEnd, flags }: EntryHead, path: ByteName): IndexEntry {
  return {
    path,
    mode: bytes.readUInt32BE(at + modeAt),
    oid: bytes.toString('hex', at + statBytes, oidEnd),
    ...flags,
  };
}

interface ReadName {
  readonly path: ByteName;
  /** Where the next entry begins. */
  readonly next: number;
}

/** Versions 2 and 3: the entry is filled up with 1 to 8 NULs to a multiple of 8. */
function ownName(bytes: Buffer, head: EntryHead, isWanted: boolean): ReadName {
  const { at, nameAt, nameLength } = head;
  const end = nameLength < flag.length ? nameAt + nameLength : bytes.indexOf(0, nameAt);
  const path = isWanted ? bytes.toString('latin1', nameAt, end) : '';
  return { path, next: at + ((end - at + 8) & ~7) };
}

/** Version 4: how much of the last name's end to drop, as a variable-length number, then what follows instead. */
function shareName(bytes: Buffer, { nameAt }: EntryHead, last: ByteName): ReadName {
  let at = nameAt;
  let byte = bytes.readUInt8(at);
  let drop = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes.readUInt8(at);
    drop = ((drop + 1) << 7) | (byte & 0x7f);
  }
  const end = bytes.indexOf(0, at + 1);
  const path = last.slice(0, last.length - drop) + bytes.toString('latin1', at + 1, end);
  return { path, next: end + 1 };
}
