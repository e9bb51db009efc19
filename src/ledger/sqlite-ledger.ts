import type { Recorded } from '../core/events.ts';
import { LedgerDamaged, StaleWrite, type Ledger } from '../ports.ts';
import { keepDigest, readPast } from './digest.ts';
import { rowOf, type EventRow } from './event-row.ts';
import { inboxOf } from './inbox.ts';
import type { LedgerFile } from './ledger-file.ts';
import { openForReading } from './open-for-reading.ts';
import { openForWriting } from './open-for-writing.ts';
import { readEvents, readPlanEvents } from './read-events.ts';
import { commitOf, runRows } from './run-rows.ts';
import { loadSqlite, scalar, type SqliteDatabase, type SqliteValue } from './sqlite.ts';

export interface SqliteLedgerOptions {
  /** Makes and changes no file; no ledger yet reads as an empty one, and writing throws. */
  readonly readOnly?: boolean;
  /** ISO 8601, UTC; by default the system's clock. */
  readonly now?: () => string;
}

/**
 * The ledger in one SQLite file: WAL, synchronous=FULL, so that what was appended survives a power loss.
 * Throws LedgerDamaged for a file that cannot be trusted (here, or when what is damaged is read), Refusal(3) for one that cannot be
 * opened or is of a newer schema, Refusal(4) for a full disk.
 */
export async function openSqliteLedger(
  path: string,
  { readOnly = false, now = systemTime }: SqliteLedgerOptions = {},
): Promise<Ledger> {
  const sqlite = await loadSqlite();
  const file = readOnly ? openForReading(sqlite, path) : openForWriting(sqlite, path);
  const unreadable = (reason: string): Error => new LedgerDamaged(path, reason);
  return {
    isShared: false,
    ...reading(file, unreadable),
    ...writing(file, { now, unreadable }),
    ...inboxOf(file),
    close: async () => file.close(),
  };
}

type Unreadable = (reason: string) => Error;

type Reading =
  | 'assertReadable'
  | 'history'
  | 'past'
  | 'sinceEnd'
  | 'refsTold'
  | 'taskHistory'
  | 'plans'
  | 'runs'
  | 'ofRun'
  | 'highestNumber'
  | 'underWay'
  | 'underWayElsewhere'
  | 'knowsCommit'
  | 'verdict';

function reading(file: LedgerFile, unreadable: Unreadable): Pick<Ledger, Reading> {
  const events = (condition: string, ...values: SqliteValue[]): readonly Recorded[] =>
    readEvents(file, { condition, values }, unreadable);
  const plans = (): ReadonlyMap<string, string> => new Map(file.read(planPaths));
  return {
    assertReadable: async () => {
      if (file.isKnownWhole()) return;
      events('true');
      file.noteWhole();
    },
    history: async (plan) => readPlanEvents(file, plan, unreadable),
    past: async (plan) => readPast(file, plan, unreadable),
    sinceEnd: async (plan) => events(SINCE_END, plan, plan, plan),
    refsTold: async (plan) => new Set(file.read((db) => refsTold(db, plan))),
    taskHistory: async (plan, task) => events('plan = ? and task = ?', plan, task),
    plans: async () => plans(),
    runs: async (plan) => runRows(events(BEGINS_OR_ENDS), plans(), plan),
    ofRun: async (plan, run) => events('plan = ? and run = ?', plan, run),
    highestNumber: async (plan) => file.read((db) => highestNumber(db, plan)),
    underWay: async (worktree) =>
      events(BEGUN_AND_OPEN)
        .filter(({ event }) => event.type === 'attempt.started' && event.worktree === worktree)
        .map(({ plan, task }) => ({ plan, task })),
    underWayElsewhere: async (plan, worktree) =>
      events(`plan = ? and ${BEGUN_AND_OPEN}`, plan).flatMap(({ task, event }) =>
        event.type === 'attempt.started' && event.worktree !== worktree
          ? [{ task, worktree: event.worktree }]
          : [],
      ),
    knowsCommit: async (plan, commit) =>
      // The text is only looked for to leave most rows unread.
      events(`plan = ? and ${STANDS_AT_COMMIT} and instr(body, ?) > 0`, plan, commit).some(
        (recorded) => commitOf(recorded) === commit,
      ),
    verdict: async (tree, gatesHash) => file.read((db) => verdictOf(db, tree, gatesHash)),
  };
}

type Writing = 'append' | 'restore' | 'addPlan' | 'takeNumber' | 'rememberVerdict';

function writing(
  file: LedgerFile,
  { now, unreadable }: { readonly now: () => string; readonly unreadable: Unreadable },
): Pick<Ledger, Writing> {
  return {
    append: async (entry, expectedSeq) => {
      const recorded = file.write((db) => {
        const seq = (expectedSeq ?? lastSeq(db, entry.plan, entry.task)) + 1;
        const next: Recorded = { ...entry, at: now(), seq };
        insertEvent(db, rowOf(next));
        return next;
      });
      if (entry.event.type === 'run.finished') keepDigest(file, entry.plan, unreadable);
      return recorded;
    },
    restore: async (plan, found) => {
      file.write((db) => restorePlan(db, plan, found));
      keepDigest(file, plan.slug, unreadable);
    },
    addPlan: async (plan, path) => file.write((db) => bindPlan(db, plan, path)),
    takeNumber: async (plan, above) =>
      file.write((db) => {
        const number = Math.max(highestNumber(db, plan), above) + 1;
        setHighest(db, plan, number);
        return number;
      }),
    rememberVerdict: async (tree, gatesHash, verdict) => {
      file.write((db) =>
        db
          .prepare('replace into verdict (tree, gates_hash, verdict) values (?, ?, ?)')
          .run(tree, gatesHash, verdict),
      );
    },
  };
}

function restorePlan(
  db: SqliteDatabase,
  { slug, path }: Parameters<Ledger['restore']>[0],
  { entries, highest }: Parameters<Ledger['restore']>[1],
): void {
  if (scalar(db, 'select path from plan where slug = ?', slug) === undefined)
    bindPlan(db, slug, path);
  for (const { event, ...place } of entries) {
    const seq = lastSeq(db, slug, place.task) + 1;
    insertEvent(db, rowOf({ ...place, plan: slug, seq, event }));
  }
  if (highest > highestNumber(db, slug)) setHighest(db, slug, highest);
}

const BEGINS_OR_ENDS = "type in ('run.started', 'run.finished')";
const BEGUN_AND_OPEN = `type = 'attempt.started' and not exists (
  select 1 from event as later
  where later.plan = event.plan and later.task = event.task and later.seq > event.seq
    and later.type in ('checkpoint.created', 'rollback.done'))`;

const LAST_END = `(select max(id) from event where plan = ? and type = 'run.finished')`;
const SINCE_END = `plan = ? and (id = ${LAST_END} or task in (
  select task from event where task <> '' and id > coalesce(${LAST_END}, 0)))`;

/** Of each type of event, where it names refs. */
const NAMES_REFS = [
  ['rollback.done', '$.snapshot.ref'],
  ['gates.passed', '$.tag'],
  ['gates.passed', '$.proof'],
  ['run.started', '$.start'],
] as const;

function refsTold(db: SqliteDatabase, plan: string): readonly string[] {
  const refs = db.prepare(
    'select json_extract(body, ?) as ref from event where type = ? and plan = ?',
  );
  return NAMES_REFS.flatMap(([type, at]) =>
    refs.all(at, type, plan).map((row) => String((row as { readonly ref: unknown }).ref)),
  );
}

const STANDS_AT_COMMIT = "type in ('checkpoint.created', 'run.started')";

function insertEvent(db: SqliteDatabase, row: EventRow): void {
  const { plan, task, seq, run, at, type, body } = row;
  const last = lastSeq(db, plan, task);
  if (last !== seq - 1)
    throw new StaleWrite(
      `${task === '' ? plan : `${plan}, ${task}`}: event ${seq} was to be written after ${last}; another process has worked on it`,
    );
  db.prepare(
    'insert into event (plan, task, seq, run, at, type, body) values (?, ?, ?, ?, ?, ?, ?)',
  ).run(plan, task, seq, run, at, type, body);
}

function lastSeq(db: SqliteDatabase, plan: string, task: string): number {
  const sql = 'select coalesce(max(seq), 0) from event where plan = ? and task = ?';
  return Number(scalar(db, sql, plan, task));
}

function bindPlan(db: SqliteDatabase, plan: string, path: string): void {
  const bound = scalar(db, 'select path from plan where slug = ?', plan);
  if (bound === path) return;
  if (typeof bound === 'string')
    throw new StaleWrite(`the plan name ${plan} already stands for ${bound}, not for ${path}`);
  db.prepare('insert into plan (slug, path) values (?, ?)').run(plan, path);
}

function planPaths(db: SqliteDatabase): (readonly [slug: string, path: string])[] {
  const rows = db.prepare('select slug, path from plan order by slug').all();
  return rows.map((row) => {
    const { slug, path } = row as { readonly slug: string; readonly path: string };
    return [slug, path];
  });
}

function highestNumber(db: SqliteDatabase, plan: string): number {
  return Number(scalar(db, 'select highest from number where plan = ?', plan) ?? 0);
}

function setHighest(db: SqliteDatabase, plan: string, highest: number): void {
  db.prepare('replace into number (plan, highest) values (?, ?)').run(plan, highest);
}

function verdictOf(
  db: SqliteDatabase,
  tree: string,
  gatesHash: string,
): 'pass' | 'fail' | undefined {
  const sql = 'select verdict from verdict where tree = ? and gates_hash = ?';
  const verdict = scalar(db, sql, tree, gatesHash);
  return verdict === 'pass' || verdict === 'fail' ? verdict : undefined;
}

function systemTime(): string {
  return new Date().toISOString();
}
