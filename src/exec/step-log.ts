import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeLogFolder } from './make-log-folder.ts';

/** A log on disk that never grows beyond its limit while it is written. */
export interface StepLog {
  /** Throws what the disk says (ENOSPC…). */
  readonly write: (chunk: Uint8Array) => void;
  /** Brings a cut log in order; throws what the disk says, and then the bytes are all still there, but not in order. */
  readonly close: () => void;
}

interface Region {
  readonly start: number;
  readonly end: number;
}

/**
 * Opens a new log of at most `maxBytes` (plus one line): what was at the path is replaced, never written through, whatever
 * an agent planted there. Mode 0600, missing folders made with 0700. Of longer output the first and the last half are kept,
 * with one line between them that says how many bytes are missing. Memory use does not depend on the limit: the last half
 * is a ring in the file itself, unrolled by `close`.
 */
export function openStepLog(path: string, maxBytes: number): StepLog {
  makeLogFolder(dirname(path));
  const file = createAnew(path);
  const limit = Math.max(2, Math.floor(maxBytes));
  const ring: Region = { start: Math.ceil(limit / 2), end: limit };
  const place = (offset: number): Region => {
    if (offset < ring.start) return { start: offset, end: ring.start };
    return {
      start: ring.start + ((offset - ring.start) % (ring.end - ring.start)),
      end: ring.end,
    };
  };
  let total = 0;
  return {
    write: (chunk) => {
      for (let rest = chunk; rest.length > 0;) {
        const { start, end } = place(total);
        const written = writeSync(file, rest, 0, Math.min(rest.length, end - start), start);
        total += written;
        rest = rest.subarray(written);
      }
    },
    close: () => {
      try {
        if (total > limit) unroll(file, path, { ring, seam: place(total).start, total });
      } finally {
        closeSync(file);
      }
    },
  };
}

function createAnew(path: string): number {
  rmSync(path, { force: true });
  return openSync(path, 'wx+', 0o600);
}

function unroll(
  file: number,
  path: string,
  cut: { readonly ring: Region; readonly seam: number; readonly total: number },
): void {
  const { ring, seam, total } = cut;
  const part = `${path}.part`;
  const target = createAnew(part);
  try {
    copy(file, target, { start: 0, end: ring.start });
    writeAll(target, Buffer.from(`\n[${total - ring.end} bytes of output cut here]\n`));
    copy(file, target, { start: seam, end: ring.end });
    copy(file, target, { start: ring.start, end: seam });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(target);
  }
}

function copy(from: number, to: number, region: Region): void {
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let at = region.start; at < region.end;) {
    const read = readSync(from, buffer, 0, Math.min(buffer.length, region.end - at), at);
    if (read === 0) throw new Error('The log became shorter while it was put in order.');
    writeAll(to, buffer.subarray(0, read));
    at += read;
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
}
