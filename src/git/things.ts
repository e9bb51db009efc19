import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import {
  entriesOf,
  isReadable,
  isTooDeep,
  linkTarget,
  makeLink,
  readRegular,
  statOf,
  writeWhole,
} from './raw-files.ts';
import type { Kept, RecordWriter, Thing } from './record.ts';

/** What is at a path: kept in the record with its bytes. Undefined for nothing and for special files. */
export function recordThing(path: ByteName, writer: RecordWriter): Thing | undefined {
  const stat = statOf(path);
  if (stat === undefined) return undefined;
  const mode = stat.mode & 0o7777;
  if (stat.isSymbolicLink()) return { kind: 'link', target: linkTarget(path) };
  if (stat.isDirectory()) return { kind: 'folder', mode };
  const bytes = stat.isFile() ? writer.keepFile(path) : undefined;
  return bytes === undefined ? undefined : { kind: 'file', mode, bytes };
}

/** All paths at and below one, a folder before what is in it; what lies too deep is left out. */
export function pathsBelow(path: ByteName): readonly ByteName[] {
  const stat = statOf(path);
  if (stat === undefined) return [];
  if (!stat.isDirectory() || isTooDeep(path)) return [path];
  const names = (entriesOf(path) ?? []).map((entry) => entry.name).sort();
  return [path, ...names.flatMap((name) => pathsBelow(`${path}/${name}`))];
}

/** How a path differs from what is recorded: `mode` alone can be put right in place. */
export function compareThing(path: ByteName, thing: Thing): 'same' | 'missing' | 'mode' | 'other' {
  const stat = statOf(path);
  if (stat === undefined) return 'missing';
  if (thing.kind === 'link')
    return stat.isSymbolicLink() && linkTarget(path) === thing.target ? 'same' : 'other';
  const isKind = thing.kind === 'folder' ? stat.isDirectory() : isSameFile(path, thing.bytes);
  if (!isKind) return 'other';
  return (stat.mode & 0o7777) === thing.mode ? 'same' : 'mode';
}

function isSameFile(path: ByteName, bytes: Kept): boolean {
  if (statOf(path)?.size !== bytes.length) return false;
  const now = isReadable(path) ? readRegular(path) : undefined;
  return now !== undefined && createHash('sha256').update(now).digest('hex') === bytes.sha256;
}

/** Puts a recorded thing where nothing is, or its mode where only that differs. */
export function putThing(path: ByteName, thing: Thing, bytesOf: (kept: Kept) => Buffer): void {
  if (thing.kind === 'link') {
    makeLink(path, thing.target);
    return;
  }
  if (thing.kind === 'file') writeWhole(path, bytesOf(thing.bytes), thing.mode);
  else if (statOf(path) === undefined) mkdirSync(toPath(path));
  chmodSync(toPath(path), thing.mode);
}
