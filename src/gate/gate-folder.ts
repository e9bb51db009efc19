import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, type FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';

/**
 * What lies at a path, found out without waiting on it (a FIFO) and without following it out of the repository.
 * Paths of this file are bytes, written as latin1: names that are not UTF-8 get through.
 */
export type Look =
  | LookedAtFile
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  /** Nothing whose bytes could be vouched for. `what`: `a FIFO`, `a link that leaves the repository`… */
  | { readonly kind: 'odd'; readonly what: string };

export interface LookedAtFile {
  readonly kind: 'file';
  readonly executable: boolean;
  /** SHA-256 of its bytes, in hex. */
  readonly digest: string;
  /** Its first bytes, 64 KiB at most. */
  readonly head: Buffer;
  /** Bytes, all of them. */
  readonly size: number;
}

const HEAD_BYTES = 65_536;

/** Python writes there whatever a gate imports. */
const writtenByItself = '__pycache__';

/** `gates` and everything under it, by path relative to the top. Links to folders are not entered, unless it is one itself. */
export async function readGateFolder(top: string): Promise<ReadonlyMap<string, Look>> {
  const found = new Map<string, Look>();
  await walk(toBytes(top), 'gates', found);
  return found;
}

async function walk(top: string, path: string, found: Map<string, Look>): Promise<void> {
  const look = await lookAt(top, path);
  found.set(path, look);
  if (look.kind !== 'folder' || (path !== 'gates' && (await isLink(`${top}/${path}`)))) return;
  const names = await readdir(pathOf(`${top}/${path}`), { encoding: 'latin1' });
  for (const name of names.sort()) {
    if (name !== writtenByItself) await walk(top, `${path}/${name}`, found);
  }
}

/** Throws only what says that the disk is ill; `path` is relative to `top`, both as bytes. */
export async function lookAt(top: string, path: string): Promise<Look> {
  const absolute = `${top}/${path}`;
  try {
    const stat = await lstat(pathOf(absolute));
    return stat.isSymbolicLink() ? await lookBehind(top, absolute) : await lookInto(absolute, stat);
  } catch (error) {
    return lookOf(error);
  }
}

async function lookBehind(top: string, link: string): Promise<Look> {
  const home = await realpath(pathOf(top), { encoding: 'latin1' });
  const target = await realpath(pathOf(link), { encoding: 'latin1' }).catch(() => undefined);
  if (target === undefined) {
    const text = await readlink(pathOf(link), { encoding: 'latin1' });
    return { kind: 'odd', what: `a link to nothing (${toText(text)})` };
  }
  if (!target.startsWith(`${home}/`)) {
    return { kind: 'odd', what: `a link that leaves the repository (${toText(target)})` };
  }
  return lookInto(target, await lstat(pathOf(target)));
}

async function lookInto(path: string, stat: Stats): Promise<Look> {
  if (stat.isDirectory()) return { kind: 'folder' };
  if (!stat.isFile()) return { kind: 'odd', what: kindOf(stat) };
  // Between lstat and open it may have become something else: neither followed nor waited for.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(pathOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return { kind: 'odd', what: kindOf(opened) };
    return { kind: 'file', executable: (opened.mode & 0o111) !== 0, ...(await digest(handle)) };
  } finally {
    await handle.close();
  }
}

async function digest(handle: FileHandle): Promise<Omit<LookedAtFile, 'kind' | 'executable'>> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(HEAD_BYTES);
  let head = Buffer.alloc(0);
  let size = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, HEAD_BYTES);
    if (bytesRead === 0) return { digest: hash.digest('hex'), head, size };
    const chunk = buffer.subarray(0, bytesRead);
    if (size === 0) head = Buffer.from(chunk);
    size += bytesRead;
    hash.update(chunk);
  }
}

const withoutFile = new Set(['ENOENT', 'ENOTDIR']);
const forbidden = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENXIO']);

function lookOf(error: unknown): Look {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (withoutFile.has(code)) return { kind: 'missing' };
  if (forbidden.has(code)) return { kind: 'odd', what: `not readable (${code})` };
  throw error;
}

function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return 'a FIFO';
  if (stat.isSocket()) return 'a socket';
  return 'a device';
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(pathOf(path))).isSymbolicLink();
}

export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** A path of bytes for people; undecodable bytes become U+FFFD. */
export function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function pathOf(bytes: string): Buffer {
  return Buffer.from(bytes, 'latin1');
}

/** One word on what a look saw, to be compared with another's: bytes, the right to execute, or what else it is. */
export function markOf(look: Look): string {
  if (look.kind === 'file') return `${look.executable ? 'x' : '-'}${look.digest}`;
  return look.kind === 'odd' ? `odd ${look.what}` : look.kind;
}
