import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import type { Dirent } from 'node:fs';

/** Paths are bytes as latin1, relative to `top`: names need not be UTF-8. */
export type Stamps = ReadonlyMap<string, string>;

/** Every regular file outside of .git, with what changes when somebody writes to it. What is closed to us is left out. */
export function stampsOf(top: string): Stamps {
  const stamps = new Map<string, string>();
  for (const path of filesBelow(top)) {
    const stat = lstatSync(absolute(top, path), { throwIfNoEntry: false, bigint: true });
    if (stat !== undefined) stamps.set(path, `${stat.ino} ${stat.ctimeNs} ${stat.size}`);
  }
  return stamps;
}

export function* filesBelow(top: string, folder = ''): Generator<string> {
  for (const entry of entriesOf(top, folder)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) yield* filesBelow(top, path);
    else if (entry.isFile()) yield path;
  }
}

function entriesOf(top: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(absolute(top, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}

/** The id that git gives to a file's bytes; undefined where no regular file is there to be read. */
export function idOf(top: string, path: string, algorithm: 'sha1' | 'sha256'): string | undefined {
  const at = absolute(top, path);
  try {
    if (lstatSync(at, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    return blobId(readFileSync(at), algorithm);
  } catch {
    return undefined;
  }
}

export function blobId(bytes: Uint8Array, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function absolute(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]);
}
