import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { LedgerDamaged, Refusal } from '../ports.ts';
import { identityOf } from './file-identity.ts';
import { guard, markOf, PATIENCE, versionOf, type LedgerFile } from './ledger-file.ts';
import { migrations, upgradeFrom } from './migrations.ts';
import { isVouched, vouch } from './vouched.ts';
import { scalar, succeeds, type Sqlite, type SqliteDatabase } from './sqlite.ts';

/**
 * Opens the file, made first (0600, its folder 0700) where there is none, and brings its schema up to date.
 * `write` throws Refusal(4) where the file was deleted or replaced: what it wrote then is not in the ledger.
 */
export function openForWriting(sqlite: Sqlite, path: string): LedgerFile {
  const { db, identity, wasVouched } = guard(path, 3, () => {
    if (markOf(path).state === 'absent') createLedger(sqlite, path);
    const known = isVouched(path);
    // SQLite opens what it may not write, and says so only when it comes to write.
    accessSync(path, constants.W_OK);
    const before = identityOf(path);
    return { db: openUpToDate(sqlite, path, known), identity: before, wasVouched: known };
  });
  let isWhole = wasVouched;
  return {
    read: (work) => guard(path, 4, () => work(db)),
    write: (work) =>
      guard(path, 4, () => {
        const result = inTransaction(db, work);
        if (identityOf(path) !== identity)
          throw new Refusal(
            4,
            `the ledger ${path} was deleted or replaced while it was in use`,
            'put it back if it was moved; then: skeleton run',
          );
        return result;
      }),
    isKnownWhole: () => isWhole,
    noteWhole: () => {
      isWhole = true;
    },
    close: () => {
      // In the main file alone, a reader needs neither a lock nor a second file. Where that fails the -wal stays, and nothing is lost.
      succeeds(db, 'pragma busy_timeout = 0; pragma wal_checkpoint(truncate)');
      db.close();
      if (isWhole) vouch(path);
    },
  };
}

function openUpToDate(sqlite: Sqlite, path: string, isKnown: boolean): SqliteDatabase {
  const db = sqlite.open(path, { readOnly: false });
  try {
    db.exec(`pragma busy_timeout = ${PATIENCE}; pragma synchronous = full`);
    if (!isKnown) assertWhole(db, path);
    if (versionOf(db, path) < migrations.length)
      inTransaction(db, () => db.exec(upgradeFrom(versionOf(db, path))));
    if (scalar(db, 'pragma journal_mode = wal') !== 'wal')
      throw new Refusal(
        3,
        `SQLite cannot keep a write-ahead log beside ${path}`,
        'keep the repository on a local disk',
      );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Costs some ms a megabyte, where the last run did not vouch for it: better than to stop at the damage hours later. */
function assertWhole(db: SqliteDatabase, path: string): void {
  const verdict = scalar(db, 'pragma integrity_check(1)');
  if (verdict !== 'ok') throw new LedgerDamaged(path, String(verdict).replaceAll('\n', ' '));
}

/** IMMEDIATE: a transaction that began by reading could be refused when it comes to write. */
function inTransaction<T>(db: SqliteDatabase, work: (db: SqliteDatabase) => T): T {
  db.exec('begin immediate');
  try {
    const result = work(db);
    db.exec('commit');
    return result;
  } catch (error) {
    // On a full disk SQLite has done it itself.
    succeeds(db, 'rollback');
    throw error;
  }
}

/** Appears whole or not at all: a kill in the middle must not leave what looks like a damaged ledger. */
function createLedger(sqlite: Sqlite, path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    const db = sqlite.open(draft, { readOnly: false });
    try {
      db.exec(`begin immediate; ${upgradeFrom(0)}; commit; pragma journal_mode = wal`);
    } finally {
      db.close();
    }
    publish(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}

/** Of two processes that begin at one instant, the first one's file stays. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch {
    // It is there already, or this file system has no hard links.
    if (!existsSync(path)) renameSync(draft, path);
  }
}

/** SQLite makes its own files durable, but not the name of this one. Windows cannot open a folder. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
