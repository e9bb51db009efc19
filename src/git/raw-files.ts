import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { dirname } from 'node:path';
import { foldersAbove, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';

/**
 * Files of a place where an untrusted program has been: looked at by lstat first, opened only if regular, with O_NOFOLLOW and
 * O_NONBLOCK, so that neither a FIFO nor a link can catch us (architecture.md, "Order of writes").
 */
const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const pieceBytes = 1 << 20;

/** Error code of node:fs, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Runs a call of node:fs; undefined where the path does not exist. */
function ifThere<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Without following a link at the path's end; undefined where nothing is. */
export function statOf(path: ByteName): Stats | undefined {
  return ifThere(() => lstatSync(toPath(path)));
}

/** Whether every folder between `root` and a path is one: a link among them would lead us out of the work tree. */
export function isPlainBelow(root: ByteName, name: ByteName): boolean {
  return foldersAbove(name).every((folder) => statOf(`${root}/${folder}`)?.isDirectory() === true);
}

/** A folder's entries; undefined where there is no such folder. Throws EACCES and the like. */
export function entriesOf(path: ByteName): readonly Dirent[] | undefined {
  return ifThere(() => readdirSync(toPath(path), { withFileTypes: true, encoding: 'latin1' }));
}

export function linkTarget(path: ByteName): ByteName {
  return readlinkSync(toPath(path), { encoding: 'latin1' });
}

/** Hands an open descriptor of a regular file to `use`; undefined where there is none. Throws EACCES and the like. */
export function withRegular<T>(path: ByteName, use: (fd: number, stat: Stats) => T): T | undefined {
  if (statOf(path)?.isFile() !== true) return undefined;
  const fd = ifThere(() => openSync(toPath(path), careful));
  if (fd === undefined) return undefined;
  try {
    const stat = fstatSync(fd);
    return stat.isFile() ? use(fd, stat) : undefined;
  } finally {
    closeSync(fd);
  }
}

/** All bytes of a regular file; undefined where there is none. */
export function readRegular(path: ByteName): Buffer | undefined {
  return withRegular(path, (fd) => readFileSync(fd));
}

/** Bytes of an open file in pieces of at most 1 MiB. The buffer is used again for each. */
export function* piecesOf(fd: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (;;) {
    const read = readSync(fd, buffer, 0, pieceBytes, null);
    if (read === 0) return;
    yield buffer.subarray(0, read);
  }
}

/** `sha256:HEX` of a regular file's bytes; undefined where there is none. */
export function digestOf(path: ByteName): string | undefined {
  return withRegular(path, (fd) => {
    const hash = createHash('sha256');
    for (const piece of piecesOf(fd)) hash.update(piece);
    return `sha256:${hash.digest('hex')}`;
  });
}

/** Whether a regular file can be opened for reading. */
export function isReadable(path: ByteName): boolean {
  try {
    closeSync(openSync(toPath(path), careful));
    return true;
  } catch {
    return false;
  }
}

/** Bytes. The system takes 4096 (path_resolution(7)): there must be room for names below, and for the quarantine's own before it. */
const longestFolder = 3000;

export function isTooDeep(folder: ByteName): boolean {
  return folder.length > longestFolder;
}

/** Whether entries of a folder may be made and removed; true where there is no such folder. */
export function isWritableFolder(path: ByteName): boolean {
  try {
    ifThere(() => {
      accessSync(toPath(path), constants.W_OK | constants.X_OK);
    });
    return true;
  } catch {
    return false;
  }
}

/** Lets the owner into a folder that was closed to them; false where that is not possible, or there is none. */
export function openFolder(path: ByteName): boolean {
  const stat = statOf(path);
  if (stat?.isDirectory() !== true) return false;
  try {
    chmodSync(toPath(path), (stat.mode & 0o7777) | 0o700);
    return true;
  } catch {
    return false;
  }
}

/** Replaces a file whole: written beside it, then renamed over it, so that no reader and no crash sees a half. A closed folder is opened. */
export function writeWhole(path: ByteName, bytes: Uint8Array, mode: number): void {
  const beside = `${path}.${process.pid}.new`;
  const folder = dirname(path);
  if (!isWritableFolder(folder)) openFolder(folder);
  ifThere(() => {
    unlinkSync(toPath(beside));
  });
  const fd = openSync(toPath(beside), 'wx', 0o600);
  try {
    writeAll(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  chmodSync(toPath(beside), mode);
  renameSync(toPath(beside), toPath(path));
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

export function makeLink(path: ByteName, target: ByteName): void {
  symlinkSync(toPath(target), toPath(path));
}
