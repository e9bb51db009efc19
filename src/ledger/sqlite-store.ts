import { dirname, join } from 'node:path';
import type { LedgerContents } from '../core/ledger-contents.ts';
import type { Recorded } from '../core/events.ts';
import { LedgerDamaged, Refusal, type LedgerStore, type Lock } from '../ports.ts';
import { keepDigest } from './digest.ts';
import { rowOf } from './event-row.ts';
import type { LedgerFile } from './ledger-file.ts';
import { openLocks } from './locks.ts';
import { openForReading } from './open-for-reading.ts';
import { openForWriting } from './open-for-writing.ts';
import { readEvents } from './read-events.ts';
import { loadSqlite, type SqliteDatabase } from './sqlite.ts';

/** The ledger in a SQLite file, with the locks of runs beside it. `readOnly`: none reads as an empty one. */
export async function openSqliteStore(
  path: string,
  { readOnly }: { readonly readOnly: boolean },
): Promise<LedgerStore> {
  const sqlite = await loadSqlite();
  const file = readOnly ? openForReading(sqlite, path) : openForWriting(sqlite, path);
  const held: Lock[] = [];
  return {
    where: path,
    hold: async (plans) => {
      const locks = await openLocks(join(dirname(path), 'locks'));
      for (const plan of plans) {
        const lock = locks.acquire(`plan-${plan}`, 'skeleton ledger copy');
        if ('heldBy' in lock) throw atWork(plan, path);
        held.push(lock);
      }
    },
    read: async () => readContents(file, path),
    add: async (decide) => {
      const decided = file.write((db) => {
        const found = decide(readContents(file, path));
        insert(db, found.missing);
        return found;
      });
      for (const plan of new Set(decided.missing.events.map((event) => event.plan)))
        keepDigest(file, plan, unreadableAt(path));
      return decided;
    },
    close: async () => {
      for (const lock of held.splice(0)) lock.release();
      file.close();
    },
  };
}

/** Why nothing is copied. */
export function atWork(plan: string, where: string): Refusal {
  return new Refusal(
    3,
    `a run is at work on the plan ${plan} in ${where}; nothing was copied`,
    'wait for it or end it (skeleton status shows where it is), then the same again',
  );
}

function unreadableAt(path: string): (reason: string) => Error {
  return (reason) => new LedgerDamaged(path, reason);
}

function readContents(file: LedgerFile, path: string): LedgerContents {
  const events = (): readonly Recorded[] =>
    readEvents(file, { condition: 'true', values: [] }, unreadableAt(path));
  // The tables are `strict`: their columns have the types that they say.
  return {
    plans: file.read((db) => db.prepare(PLANS).all()) as LedgerContents['plans'],
    events: events(),
    verdicts: file.read((db) => db.prepare(VERDICTS).all()) as LedgerContents['verdicts'],
  };
}

const PLANS = `select slug, path, coalesce(highest, 0) as highest
  from plan left join number on plan = slug order by slug`;
const VERDICTS = `select tree, gates_hash as "gatesHash", verdict from verdict order by tree, gates_hash`;

function insert(db: SqliteDatabase, { plans, events, verdicts }: LedgerContents): void {
  const plan = db.prepare('insert into plan (slug, path) values (?, ?) on conflict do nothing');
  const number = db.prepare('replace into number (plan, highest) values (?, ?)');
  for (const { slug, path, highest } of plans) {
    plan.run(slug, path);
    if (highest > 0) number.run(slug, highest);
  }
  const event = db.prepare(
    'insert into event (plan, task, seq, run, at, type, body) values (?, ?, ?, ?, ?, ?, ?)',
  );
  for (const recorded of events) {
    const row = rowOf(recorded);
    event.run(row.plan, row.task, row.seq, row.run, row.at, row.type, row.body);
  }
  const verdict = db.prepare('insert into verdict (tree, gates_hash, verdict) values (?, ?, ?)');
  for (const one of verdicts) verdict.run(one.tree, one.gatesHash, one.verdict);
}
