import { setTimeout as delay } from 'node:timers/promises';
import type { Event, Recorded } from '../../core/events.ts';
import { ClaimLost, StaleWrite } from '../../ports.ts';
import { rowOf } from '../event-row.ts';
import type { Connection } from './connection.ts';
import { spaceOf, type HeldLocks } from './held-locks.ts';
import { stepOf } from './phases.ts';
import type { Numbers } from './rows.ts';
import { inTransaction, type Session } from './session.ts';
import { isoTime } from './survey.ts';

export interface Entry {
  readonly run: string;
  readonly plan: string;
  readonly task: string;
  readonly event: Event;
}

export interface Desk {
  readonly session: Session;
  readonly held: HeldLocks;
  readonly numbers: Numbers;
}

interface Draft {
  readonly entry: Entry;
  readonly body: string;
  /** Undefined: after whatever is there. */
  readonly expected: number | undefined;
  readonly plan: number;
  readonly no: number;
}

/**
 * Appends, as `Ledger.append` promises. The database takes it only in its place, from a phase that it can follow, and from the session
 * that has the task's lock: one that this session has not claimed is locked for the moment. Where the connection is lost, what became
 * of it is read back on the next one.
 */
export async function append(
  desk: Desk,
  entry: Entry,
  expected: number | undefined,
): Promise<Recorded> {
  const { body } = rowOf({ ...entry, at: '', seq: (expected ?? 0) + 1 });
  const place = await desk.session.repeat(async (on) => placeOf(on, desk.numbers, entry));
  const draft: Draft = { entry, body, expected, ...place };
  const claim = desk.held.find({ space: 'task', no: draft.no });
  const before = expected ?? (await headOf(desk, draft));
  const isOurs = claim !== undefined || entry.task === '';
  let isAgain = false;
  const attempt = async (on: Connection): Promise<Recorded | undefined> => {
    claim?.lost.throwIfAborted();
    const written = isAgain ? await readBack(on, draft, before) : undefined;
    isAgain = true;
    if (written !== undefined) return written;
    const result = isOurs
      ? await write(on, draft)
      : await inTransaction(on, async () => writeForTheMoment(on, draft));
    // The server has answered: what stands there now without us is another's, word by word the same or not.
    isAgain = false;
    return result;
  };
  const written = await untilWritten(desk.session, draft, attempt);
  if (entry.event.type === 'run.started') desk.session.begin();
  return written;
}

/** Milliseconds between two tries to get the lock of a task that somebody else has; in all they take no longer than a ping's. */
const PAUSE = 50;

async function untilWritten(
  session: Session,
  { entry: { plan, task } }: Draft,
  attempt: (on: Connection) => Promise<Recorded | undefined>,
): Promise<Recorded> {
  const until = performance.now() + session.timings.ping;
  for (;;) {
    const written = await session.repeat(attempt);
    if (written !== undefined) return written;
    if (performance.now() > until)
      throw new StaleWrite(`${plan}, ${task}: another worker has claimed it, and is at work on it`);
    await delay(PAUSE);
  }
}

async function placeOf(
  on: Connection,
  numbers: Numbers,
  { plan: slug, task }: Entry,
): Promise<{ readonly plan: number; readonly no: number }> {
  const plan = await numbers.plan(on, slug);
  if (plan === undefined) throw new Error(`not recorded: the ledger knows no plan ${slug}`);
  return { plan, no: await numbers.task(on, plan, task) };
}

async function headOf({ session }: Desk, { no }: Draft): Promise<number> {
  return session.repeat(async (on) => {
    const [row] = await on.query('select head from skeleton.task where no = $1', [no]);
    return Number(row?.['head']);
  });
}

const APPEND = `
  with step as (
    update skeleton.task as t set
      head = t.head + 1,
      phase = coalesce($5, t.phase),
      outcome = case when $6::boolean then $7 else t.outcome end,
      campaign = case when $8::boolean
        then (select p.campaign from skeleton.plan as p where p.no = t.plan) else t.campaign end,
      owner_pid = case when $3::boolean then null else t.owner_pid end
    where t.no = $1 and t.head = coalesce($2::int4, t.head) and t.phase = any ($4::text[])
      and (t.id = '' or t.owner_pid = pg_backend_pid())
    returning t.plan, t.id, t.head
  )
  insert into skeleton.event (plan, task, seq, run, at, type, body)
  select plan, id, head, $9, ${isoTime('clock_timestamp()')}, $10, $11 from step
  returning seq, at`;

async function write(on: Connection, draft: Draft, isForTheMoment = false): Promise<Recorded> {
  const { entry, body, expected, no } = draft;
  const { from, to, outcome, isOfTeam } = stepOf(entry.event);
  const [row] = await on.query(APPEND, [
    ...[no, expected, isForTheMoment],
    ...[from, to, outcome !== undefined, outcome, isOfTeam ?? false],
    ...[entry.run, entry.event.type, body],
  ]);
  if (row === undefined) throw await whyNot(on, draft);
  return { ...entry, seq: Number(row['seq']), at: String(row['at']) };
}

async function whyNot(on: Connection, { entry, expected, no }: Draft): Promise<Error> {
  const [row] = await on.query(
    `select head, phase, owner_pid = pg_backend_pid() as own from skeleton.task where no = $1`,
    [no],
  );
  const head = Number(row?.['head']);
  const where = entry.task === '' ? entry.plan : `${entry.plan}, ${entry.task}`;
  if (expected !== undefined && head !== expected)
    return new StaleWrite(
      `${where}: event ${expected + 1} was to be written after ${head}; another process has worked on it`,
    );
  if (entry.task !== '' && row?.['own'] !== true)
    return new ClaimLost(`${where}: another worker has claimed it`);
  return new Error(
    `not recorded: '${entry.event.type}' of ${where} cannot follow where the task is (${String(row?.['phase'])})`,
  );
}

/** Undefined where somebody else has the task's lock now. */
async function writeForTheMoment(on: Connection, draft: Draft): Promise<Recorded | undefined> {
  if (!(await lockForTheMoment(on, draft.no))) return undefined;
  return write(on, draft, true);
}

/** Until the transaction ends. */
async function lockForTheMoment(on: Connection, no: number): Promise<boolean> {
  const lock = `select pg_try_advisory_xact_lock(${spaceOf('task')}, $1::int4) as got`;
  const [row] = await on.query(lock, [no]);
  if (row?.['got'] !== true) return false;
  await on.query(
    `update skeleton.task set owner = null, owner_pid = pg_backend_pid(), since = null where no = $1`,
    [no],
  );
  return true;
}

/** Whether it was written after all: what stands after `before` in its task is then ours, word by word. */
async function readBack(
  on: Connection,
  { entry, body, expected, plan }: Draft,
  before: number,
): Promise<Recorded | undefined> {
  const [row] = await on.query(
    `select seq, at from skeleton.event
    where plan = $1 and task = $2 and seq > $3 and seq <= $4 and run = $5 and type = $6 and body = $7
    order by seq limit 1`,
    [
      ...[plan, entry.task, before, expected === undefined ? 2 ** 31 - 1 : before + 1],
      ...[entry.run, entry.event.type, body],
    ],
  );
  return row && { ...entry, seq: Number(row['seq']), at: String(row['at']) };
}
