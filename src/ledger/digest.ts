import { crc32 } from 'node:zlib';
import type { Recorded } from '../core/events.ts';
import { pastOf, pastWith, withoutGates, type PlanPast } from '../core/plan-past.ts';
import { isRecord } from './event-checks.ts';
import type { LedgerFile } from './ledger-file.ts';
import { readEvents, readPlanEvents } from './read-events.ts';
import { scalar, type SqliteDatabase, type SqliteValue } from './sqlite.ts';

/** To be raised with every change of what a history is folded to: a digest of another form is not read. */
const FORM = 2;

/** What a plan's events up to one of them were folded to, and what tells that they are still those. */
interface Digest extends Extent {
  /** The id of the last of them. */
  readonly upTo: number;
  readonly past: PlanPast;
}

/** Of a plan's events: a row that came, went or changed its length shows here, at a tenth of what it costs to read them. */
interface Extent {
  readonly rows: number;
  readonly bytes: number;
}

type Unreadable = (reason: string) => Error;

/** A plan's history, folded, without what gates said: from its digest and what was written since, or from all where that does not do. */
export function readPast(file: LedgerFile, plan: string, unreadable: Unreadable): PlanPast {
  const known = file.read((db) => digestOf(db, plan));
  const past = known && foldOn(file, plan, { known, unreadable });
  return past ?? withoutGates(pastOf(readPlanEvents(file, plan, unreadable)));
}

/** Keeps what a plan's history folds to now. A digest that cannot be made or kept is no loss: then the events are folded. */
export function keepDigest(file: LedgerFile, plan: string, unreadable: Unreadable): void {
  try {
    file.write((db) => {
      const past = readPast(file, plan, unreadable);
      const upTo = lastId(db);
      const rows = Number(scalar(db, 'select count(*) from event where plan = ?', plan));
      const body = JSON.stringify({ upTo, ...extentOf(db, plan, { upTo, rows }), past });
      db.prepare('replace into digest (plan, form, sum, body) values (?, ?, ?, ?)').run(
        ...[plan, FORM, crc32(body), body],
      );
    });
  } catch {
    // Whoever needs the events themselves says what is wrong with them.
  }
}

function foldOn(
  file: LedgerFile,
  plan: string,
  { known: { upTo, past }, unreadable }: { known: Digest; unreadable: Unreadable },
): PlanPast | undefined {
  const last = file.read(lastId);
  const read = (condition: string, ...values: SqliteValue[]): readonly Recorded[] =>
    readEvents(file, { condition, values }, unreadable);
  const since = read(SINCE, upTo, last, plan);
  if (since.length === 0) return past;
  const earlier = read(EARLIER, plan, upTo, upTo, last, plan);
  const folded = pastWith(past, { earlier, since });
  return folded && withoutGates(folded);
}

// The sign keeps SQLite from the index: the new rows lie together.
const SINCE = 'id > ? and id <= ? and +plan = ?';
const EARLIER = `plan = ? and id <= ? and task in (select task from event where ${SINCE} and task <> '')`;

/** Undefined where there is none, or it is not (any more) what the events fold to. */
function digestOf(db: SqliteDatabase, plan: string): Digest | undefined {
  const row = db.prepare('select form, sum, body from digest where plan = ?').get(plan);
  if (!isRecord(row) || row['form'] !== FORM || typeof row['body'] !== 'string') return undefined;
  // As we wrote it: then it has the shape that we gave it.
  if (crc32(row['body']) !== row['sum']) return undefined;
  const digest = JSON.parse(row['body']) as Digest;
  const { rows, bytes } = extentOf(db, plan, digest);
  return rows === digest.rows && bytes === digest.bytes ? digest : undefined;
}

/** `rows`: about how many there are. */
function extentOf(
  db: SqliteDatabase,
  plan: string,
  { upTo, rows }: { readonly upTo: number; readonly rows: number },
): Extent {
  // As they lie in the file, where they are most of it: an index would find them one by one.
  const column = rows * 4 < upTo ? 'plan' : '+plan';
  return db
    .prepare(
      `select count(*) as rows, coalesce(sum(octet_length(body)), 0) as bytes
      from event where ${column} = ? and id <= ?`,
    )
    .get(plan, upTo) as Extent;
}

function lastId(db: SqliteDatabase): number {
  return Number(scalar(db, 'select coalesce(max(id), 0) from event'));
}
