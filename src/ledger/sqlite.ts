import { Refusal } from '../ports.ts';

export type SqliteValue = string | number | null;

export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

/**
 * What `node:sqlite` and its npm twin have in common. The twin's `close` leaves the file open, and a transaction with it, until
 * the last prepared statement is garbage: end transactions first, and use `exec` alone where a file must really be closed.
 */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface Sqlite {
  readonly driver: 'node:sqlite' | '@photostructure/sqlite';
  /** `location` is a path, `:memory:`, or a `file:` URL as SQLite reads them. */
  open(location: string, options: { readonly readOnly: boolean }): SqliteDatabase;
}

type DatabaseClass = new (
  location: string,
  options: { readonly readOnly: boolean },
) => SqliteDatabase;

/** Below it, two connections that write and checkpoint at one instant can damage a WAL file (sqlite.org/wal.html, "The WAL-reset bug"). */
const SAFE_VERSION = [3, 51, 3] as const;

let loading: Promise<Sqlite> | undefined;

/** The SQLite built into Node where it is recent enough, else its npm twin. Throws Refusal(3) where there is neither. */
export function loadSqlite(): Promise<Sqlite> {
  loading ??= load();
  return loading;
}

/** Driver and version of the SQLite that is used; undefined where there is none. */
export async function describeSqlite(): Promise<string | undefined> {
  const sqlite = await loadSqlite().catch(() => undefined);
  if (sqlite === undefined) return undefined;
  const db = sqlite.open(':memory:', { readOnly: false });
  const version = String(scalar(db, 'select sqlite_version()'));
  db.close();
  return `${sqlite.driver} ${version}`;
}

async function load(): Promise<Sqlite> {
  const builtin = loadBuiltin();
  if (builtin !== undefined && isSafe(builtin)) return builtin;
  try {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    return sqliteOf('@photostructure/sqlite', DatabaseSync);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      3,
      `no SQLite to keep the ledger in: ${why}`,
      `install skeleton again, or use a Node with SQLite ${SAFE_VERSION.join('.')} or newer (node -p process.versions.sqlite)`,
    );
  }
}

function loadBuiltin(): Sqlite | undefined {
  const module = withoutSqliteWarning(() => process.getBuiltinModule('node:sqlite'));
  if (module === undefined || !hasDatabase(module)) return undefined;
  return sqliteOf('node:sqlite', module.DatabaseSync);
}

function hasDatabase(module: object): module is { readonly DatabaseSync: DatabaseClass } {
  return 'DatabaseSync' in module && typeof module.DatabaseSync === 'function';
}

function sqliteOf(driver: Sqlite['driver'], Database: DatabaseClass): Sqlite {
  return { driver, open: (location, options) => new Database(location, options) };
}

/** Asks the library itself: a Node that is linked to the system's SQLite is as old as that one. */
function isSafe(sqlite: Sqlite): boolean {
  const db = sqlite.open(':memory:', { readOnly: false });
  const version = String(scalar(db, 'select sqlite_version()')).split('.').map(Number);
  db.close();
  const differs = SAFE_VERSION.findIndex((part, index) => part !== version[index]);
  return differs === -1 || (version[differs] ?? 0) > (SAFE_VERSION[differs] ?? 0);
}

/** The first column of the first row; undefined where there is none. */
export function scalar(db: SqliteDatabase, sql: string, ...values: SqliteValue[]): unknown {
  const row = db.prepare(sql).get(...values);
  return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
}

/** For statements that may fail without harm, or after a failure that is told already. */
export function succeeds(db: SqliteDatabase, sql: string): boolean {
  try {
    db.exec(sql);
    return true;
  } catch {
    return false;
  }
}

/** Node 22 calls its SQLite experimental on every start; a user can do nothing about it. Other warnings pass. */
function withoutSqliteWarning<T>(work: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (...args: unknown[]): void => {
    if (args[1] !== 'ExperimentalWarning' || !String(args[0]).startsWith('SQLite'))
      Reflect.apply(emitWarning, undefined, args);
  };
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
