import { dirname } from 'node:path';
import { Refusal } from '../ports.ts';

type Kind = 'damaged' | 'shut' | 'full' | 'busy';

/**
 * SQLite's result codes (sqlite.org/rescode.html), primary ones and IOERR_SHORT_READ, and the system's. The texts are for errors of
 * the npm twin's `all` and `prepare`, which come without a code.
 */
const kindOf: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ...keyed('damaged', [11, 26, 522, 'database disk image is malformed', 'file is not a database']),
  ...keyed('shut', [3, 8, 14, 'unable to open database file']),
  // ENOENT is what a recursive mkdir says on a read-only disk.
  ...keyed('shut', ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST']),
  ...keyed('full', [10, 13, 'disk I/O error', 'ENOSPC', 'EDQUOT']),
  ...keyed('busy', [5, 'database is locked']),
]);

function keyed(kind: Kind, codes: readonly unknown[]): (readonly [unknown, Kind])[] {
  return codes.map((code) => [code, kind]);
}

export interface Place {
  readonly path: string;
  /** The status of a refusal where the file cannot be opened or written: 3 before anything was touched, 4 later. */
  readonly shut: 3 | 4;
  /** What to throw for a broken file. */
  readonly damaged: (path: string, reason: string) => Error;
}

/** What a failure at a place means for a person; Refusal(4) for a full or broken disk. What is no such failure is given back. */
export function explainFailure(error: unknown, { path, shut, damaged }: Place): unknown {
  if (!(error instanceof Error)) return error;
  switch (classify(error)) {
    case 'damaged':
      return damaged(path, error.message);
    case 'shut':
      return new Refusal(
        shut,
        `cannot use ${path}: ${error.message}`,
        `make ${path} and its folder readable and writable for you`,
      );
    case 'full':
      return new Refusal(
        4,
        `cannot write ${path}: ${error.message}`,
        `df -h ${quoted(dirname(path))}\nfree space there, then: ${AGAIN}`,
      );
    case 'busy':
      return new Refusal(
        4,
        `cannot write ${path}: another process has been writing to it for too long`,
        `end that process, then: ${AGAIN}`,
      );
    case undefined:
      return error;
  }
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

const AGAIN = 'skeleton run (it carries on where it was)';

export function isBusy(error: unknown): boolean {
  return error instanceof Error && classify(error) === 'busy';
}

function classify(error: Error): Kind | undefined {
  // Extended result codes hold the primary one in their lowest byte.
  if ('errcode' in error && typeof error.errcode === 'number')
    return kindOf.get(error.errcode) ?? kindOf.get(error.errcode & 0xff);
  if (!('code' in error)) return undefined;
  return kindOf.get(error.code === 'ERR_SQLITE_ERROR' ? error.message : error.code);
}
