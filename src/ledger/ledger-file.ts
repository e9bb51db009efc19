import { lstatSync } from 'node:fs';
import { LedgerDamaged, Refusal } from '../ports.ts';
import { explainFailure } from './explain-failure.ts';
import { identityOf } from './file-identity.ts';
import { migrations } from './migrations.ts';
import { scalar, type SqliteDatabase } from './sqlite.ts';

/** The database file of a ledger, open. What its methods throw has been through `explainFailure`. */
export interface LedgerFile {
  read<T>(work: (db: SqliteDatabase) => T): T;
  /** One transaction, on disk when this returns. */
  write<T>(work: (db: SqliteDatabase) => T): T;
  /** Whether every row was read, now or when what stands there was written last: damage to old rows would have been seen. */
  isKnownWhole(): boolean;
  /** Every row was read. */
  noteWhole(): void;
  close(): void;
}

/** Milliseconds that another process, in the middle of a transaction, is waited for. */
export const PATIENCE = 5000;

/** What stands at a ledger's path now. */
export interface Mark {
  /** busy: the -wal holds what the main file does not. */
  readonly state: 'absent' | 'quiet' | 'busy';
  /** Changes whenever what a reader without a lock saw may have changed. */
  readonly stamp: string;
}

/** Throws LedgerDamaged for what SQLite would take for a new database, deleting or mixing in what the old one left, and for what it would follow elsewhere. */
export function markOf(path: string): Mark {
  for (const part of ['', '-wal', '-shm']) assertFile(path, part);
  const log = lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const main = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (main === undefined && log === 0) return { state: 'absent', stamp: '' };
  if (main === undefined) throw new LedgerDamaged(path, 'it is gone, but its -wal is still there');
  if (main.size === 0n) throw new LedgerDamaged(path, 'it is empty');
  const file = identityOf(path) ?? '';
  if (log > 0) return { state: 'busy', stamp: file };
  return { state: 'quiet', stamp: `${file} ${main.size.toString()} ${main.mtimeNs.toString()}` };
}

/** A file of its own, or nothing: never a link, which would be written through. */
function assertFile(path: string, part: string): void {
  const stat = lstatSync(path + part, { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile()) return;
  const what = stat.isSymbolicLink() ? 'a link' : stat.isDirectory() ? 'a folder' : 'no file';
  throw new LedgerDamaged(path, `${part === '' ? 'it' : `its ${part}`} is ${what}`);
}

/** The schema's version. Throws Refusal(3) where it is newer than we are, LedgerDamaged where there is none. */
export function versionOf(db: SqliteDatabase, path: string): number {
  const version = Number(scalar(db, 'pragma user_version'));
  if (version < 1) throw new LedgerDamaged(path, 'it is a database, but not a ledger');
  if (version > migrations.length)
    throw new Refusal(
      3,
      `the ledger ${path} has schema ${version}, this skeleton knows none above ${migrations.length}`,
      'use the newer skeleton that wrote it',
    );
  return version;
}

/** Runs work on the ledger at `path`, and explains what it throws (`shut`: see `Place`). */
export function guard<T>(path: string, shut: 3 | 4, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const damaged = (at: string, reason: string): Error => new LedgerDamaged(at, reason);
    throw explainFailure(error, { path, shut, damaged });
  }
}
