import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Refusal, type Lock, type LockHolder, type Locks } from '../ports.ts';
import { explainFailure, isBusy } from './explain-failure.ts';
import { identityOf } from './file-identity.ts';
import { setLocksAside } from './odd-places.ts';
import { loadSqlite, scalar, succeeds, type Sqlite, type SqliteDatabase } from './sqlite.ts';

/** Milliseconds that another process, in the middle of reading or writing a holder's name, is waited for. */
const PATIENCE = 1000;

/** A connection that became garbage would let go of its lock. */
const held = new Set<SqliteDatabase>();

/**
 * Locks as open write transactions on `folder/NAME.db`, in rollback-journal mode. The operating system drops such a lock when its
 * process dies, however it dies, and no child inherits it (POSIX locks, fcntl(2)): nothing is ever stale. The row in the file only
 * says who holds it. Throws Refusal(3) where the folder cannot be written, Refusal(4) where the disk is full.
 */
export async function openLocks(
  folder: string,
  now: () => string = () => new Date().toISOString(),
): Promise<Locks> {
  const sqlite = await loadSqlite();
  return {
    acquire: (name, what) => {
      const path = join(folder, fileNameOf(name));
      try {
        setLocksAside(folder, now());
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        makeFile(path);
        return acquire(sqlite, path, { pid: process.pid, host: hostname(), since: now(), what });
      } catch (error) {
        throw explainFailure(error, { path, shut: 3, damaged });
      }
    },
    holderOf: (name) => lookAt(sqlite, join(folder, fileNameOf(name))),
  };
}

/** By the name alone: a dead holder's stands there too, and is told by its process. */
function lookAt(sqlite: Sqlite, path: string): LockHolder | undefined {
  if (identityOf(path) === undefined) return undefined;
  const db = sqlite.open(path, { readOnly: true });
  try {
    return readHolder(db, '');
  } finally {
    db.close();
  }
}

function acquire(
  sqlite: Sqlite,
  path: string,
  holder: LockHolder,
): Lock | { readonly heldBy: LockHolder | undefined } {
  const identity = identityOf(path);
  const db = sqlite.open(path, { readOnly: false });
  const token = randomUUID();
  try {
    if (!begin(db)) return { heldBy: readHolder(db, token) };
    // The name must be committed to be readable, and between that and the next transaction another may step in, and out again.
    do {
      db.exec(`${nameHolder(holder, token)}; commit`);
      if (!begin(db)) return { heldBy: readHolder(db, token) };
    } while (scalar(db, 'select token from holder') !== token);
    assertStill(path, identity);
    held.add(db);
    return lockOn(db, path, identity);
  } finally {
    if (!held.has(db)) db.close();
  }
}

function lockOn(db: SqliteDatabase, path: string, identity: string | undefined): Lock {
  return {
    assertHeld: () => {
      if (!held.has(db)) throw new Error(`the lock ${path} was released`);
      assertStill(path, identity);
    },
    release: () => {
      if (!held.delete(db)) return;
      if (!succeeds(db, 'delete from holder; commit')) succeeds(db, 'rollback');
      db.close();
    },
  };
}

function assertStill(path: string, identity: string | undefined): void {
  if (identity === undefined || identityOf(path) !== identity)
    throw new Refusal(
      4,
      `the lock ${path} was deleted or replaced: another run may have begun meanwhile`,
      'skeleton run, when no other run goes',
    );
}

/** Begins the write transaction that is the lock; false where another has it. Does not wait. */
function begin(db: SqliteDatabase): boolean {
  try {
    db.exec('pragma busy_timeout = 0; begin immediate');
    db.exec(`pragma busy_timeout = ${PATIENCE}`);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** By exec and not by a statement with parameters: `SqliteDatabase` says why. */
function nameHolder({ pid, host, since, what }: LockHolder, token: string): string {
  const texts = [host, since, what, token].map(quote).join(', ');
  return `
    create table if not exists holder (pid integer, host text, since text, what text, token text) strict;
    delete from holder;
    insert into holder (pid, host, since, what, token) values (${pid}, ${texts})`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\0', ' ').replaceAll("'", "''")}'`;
}

/** Undefined where it has not written its name yet: what stands there is then of a holder that died, or our own (`token`). */
function readHolder(db: SqliteDatabase, token: string): LockHolder | undefined {
  try {
    db.exec(`pragma busy_timeout = ${PATIENCE}`);
    const row = db.prepare('select * from holder where token <> ?').get(token);
    if (row === undefined) return undefined;
    const { pid, host, since, what } = row as LockHolder;
    return isDead(pid, host) ? undefined : { pid, host, since, what };
  } catch {
    return undefined;
  }
}

function isDead(pid: number, host: string): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Readable, and different for names that differ in anything at all. */
function fileNameOf(name: string): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  return `${readable}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}.db`;
}

/** Never opens a file that is there: closing it again would drop this process's own lock on it. */
function makeFile(path: string): void {
  if (identityOf(path) !== undefined) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (identityOf(path) === undefined) throw error;
  }
}

function damaged(path: string, reason: string): Refusal {
  return new Refusal(3, `the lock ${path} is damaged: ${reason}`, `rm '${path}' when no run goes`);
}
