import { pathToFileURL } from 'node:url';
import { Refusal } from '../ports.ts';
import { guard, markOf, PATIENCE, versionOf, type LedgerFile, type Mark } from './ledger-file.ts';
import { migrations, upgradeFrom } from './migrations.ts';
import type { Sqlite, SqliteDatabase } from './sqlite.ts';

interface View {
  readonly db: SqliteDatabase;
  readonly mark: Mark;
}

/**
 * Opens without making or changing a file and without ever holding up a writer; works on a read-only disk.
 * No ledger yet reads as an empty one, and is looked for again at each read.
 */
export function openForReading(sqlite: Sqlite, path: string): LedgerFile {
  let view = guard(path, 3, () => openView(sqlite, path));
  // Without a lock, only the file's mark tells, afterwards, that somebody wrote meanwhile: then it is read again.
  const read = <T>(work: (db: SqliteDatabase) => T): T => {
    try {
      assertCurrent(view.db, path);
      const result = work(view.db);
      if (markOf(path).stamp === view.mark.stamp) return result;
    } catch (error) {
      if (markOf(path).stamp === view.mark.stamp) throw error;
    }
    const next = openView(sqlite, path);
    view.db.close();
    view = next;
    return read(work);
  };
  const file: LedgerFile = {
    read: (work) => guard(path, 3, () => read(work)),
    write: () => {
      throw new Error(`the ledger ${path} was opened for reading only`);
    },
    isKnownWhole: () => false,
    noteWhole: () => undefined,
    close: () => view.db.close(),
  };
  try {
    file.read(() => undefined);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function openView(sqlite: Sqlite, path: string): View {
  const mark = markOf(path);
  if (mark.state === 'absent') {
    const db = sqlite.open(':memory:', { readOnly: false });
    db.exec(upgradeFrom(0));
    return { db, mark };
  }
  // Even a reader makes -wal and -shm beside the file, unless it is told that nobody writes (sqlite.org/wal.html, "Read-Only Databases").
  const location = mark.state === 'quiet' ? `${pathToFileURL(path).href}?immutable=1` : path;
  const db = sqlite.open(location, { readOnly: true });
  db.exec(`pragma busy_timeout = ${PATIENCE}`);
  return { db, mark };
}

function assertCurrent(db: SqliteDatabase, path: string): void {
  const version = versionOf(db, path);
  if (version < migrations.length)
    throw new Refusal(
      3,
      `the ledger ${path} has schema ${version}, this skeleton reads ${migrations.length}`,
      'skeleton run (it brings the ledger up to date)',
    );
}
