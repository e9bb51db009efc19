import type { Recorded } from '../../core/events.ts';
import type { LedgerContents } from '../../core/ledger-contents.ts';
import { Refusal, type LedgerStore } from '../../ports.ts';
import { readRow, rowOf } from '../event-row.ts';
import { atWork } from '../sqlite-store.ts';
import { migrate, migrations, versionOf, type Queryable } from './migrations.ts';
import { standAfter, type Stand } from './phases.ts';
import { openSession } from './session.ts';
import { locate } from './shown-url.ts';
import { timingsOf } from './timings.ts';

interface StoreOptions {
  /** Names the repository, where `?project=` in the URL does not. */
  readonly project: () => Promise<string>;
  /** Changes nothing; no ledger there reads as an empty one. */
  readonly readOnly: boolean;
}

/** One project's part of a ledger in PostgreSQL. Throws as `openPostgresLedger` does. */
export async function openPostgresStore(
  url: string,
  { project: given, readOnly }: StoreOptions,
): Promise<LedgerStore> {
  const location = locate(url);
  const project = location.project ?? (await given());
  const named = location.project === undefined ? '' : `?project=${location.project}`;
  const where = `${location.shown}${named}`;
  // A long history takes its time, and no agent waits here for its claim.
  const timings = { ...timingsOf(), deadline: 60_000, idle: 300_000 };
  const session = await openSession({ location, timings, readOnly, name: 'skeleton ledger copy' });
  const place = { project, where };
  try {
    if (!readOnly) await session.run(async (on) => migrate(on, where));
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    where,
    hold: async (plans) => session.run(async (on) => holdPlans(on, place, plans)),
    read: async () =>
      session.transaction(
        async (on) => readContents(on, place),
        'begin isolation level repeatable read',
      ),
    add: async (decide) =>
      session.transaction(async (on) => {
        await on.query(`${LOCK} for update of plan`, [project]);
        await on.query(`${LOCK_TASKS} for update of task`, [project]);
        const there = await readContents(on, place);
        const decided = decide(there);
        await insert(on, project, { there, missing: decided.missing });
        return decided;
      }),
    close: async () => session.close(),
  };
}

interface Place {
  readonly project: string;
  readonly where: string;
}

const LOCK = 'select no from skeleton.plan as plan where project = $1';
const LOCK_TASKS = `select task.no from skeleton.task as task join skeleton.plan as plan on plan.no = task.plan
  where plan.project = $1`;

/** By the lock that each worker shares while it is in the team of a plan. */
async function holdPlans(on: Queryable, place: Place, plans: readonly string[]): Promise<void> {
  if ((await versionOf(on, place)) === 0) return;
  const rows = await on.query(
    `select slug, pg_try_advisory_lock('skeleton.event'::regclass::oid::int4, no) as "isFree"
    from skeleton.plan where project = $1 and slug = any($2)`,
    [place.project, plans],
  );
  const busy = rows.find(({ isFree }) => isFree !== true);
  if (busy !== undefined) throw atWork(String(busy['slug']), place.where);
}

async function readContents(on: Queryable, place: Place): Promise<LedgerContents> {
  const version = await versionOf(on, place);
  if (version === 0) return { plans: [], events: [], verdicts: [] };
  if (version < migrations.length)
    throw new Refusal(
      3,
      `the ledger ${place.where} has schema ${version}, this skeleton reads ${migrations.length}`,
      'skeleton run (it brings the ledger up to date)',
    );
  const { project } = place;
  return {
    // Columns of the types that the schema gives them.
    plans: (await on.query(PLANS, [project])) as readonly object[] as LedgerContents['plans'],
    events: await readEvents(on, place),
    verdicts: (await on.query(VERDICTS, [
      project,
    ])) as readonly object[] as LedgerContents['verdicts'],
  };
}

const PLANS = 'select slug, path, highest from skeleton.plan where project = $1 order by slug';
const VERDICTS = `select tree, gates_hash as "gatesHash", verdict from skeleton.verdict
  where project = $1 order by tree, gates_hash`;

const AT_ONCE = 5000;

async function readEvents(on: Queryable, { project, where }: Place): Promise<readonly Recorded[]> {
  const unreadable = (reason: string): Error =>
    new Refusal(3, `the ledger ${where} is damaged: ${reason}`);
  const events: Recorded[] = [];
  let last: unknown = '0';
  for (;;) {
    const rows = await on.query(EVENTS, [project, last, AT_ONCE]);
    for (const row of rows) events.push(readRow(row, unreadable));
    if (rows.length < AT_ONCE) return events;
    last = rows.at(-1)?.['id'];
  }
}

const EVENTS = `select event.id::text as id, plan.slug as plan, task, seq, run, at, type, body
  from skeleton.event as event join skeleton.plan as plan on plan.no = event.plan
  where plan.project = $1 and event.id > $2::bigint order by event.id limit $3`;

interface Growth {
  readonly there: LedgerContents;
  readonly missing: LedgerContents;
}

async function insert(on: Queryable, project: string, { there, missing }: Growth): Promise<void> {
  const { plans, events, verdicts } = missing;
  await insertRows(on, INSERT_PLANS, {
    project,
    rows: plans.map((plan) => [plan.slug, plan.path, plan.highest]),
  });
  const tasks = standsOf([...there.events, ...events], events);
  const [keys, stands] = [tasks.map(([plan, id]) => [plan, id]), tasks];
  await insertRows(on, INSERT_TASKS, { project, rows: keys });
  await insertRows(on, INSERT_EVENTS, { project, rows: events.map(columnsOf) });
  await insertRows(on, SET_STANDS, { project, rows: stands });
  const known = verdicts.map(({ tree, gatesHash, verdict }) => [tree, gatesHash, verdict]);
  await insertRows(on, INSERT_VERDICTS, { project, rows: known });
}

type Value = string | number | null;

interface Rows {
  readonly project: string;
  readonly rows: readonly (readonly Value[])[];
}

/** Column by column, as `unnest` takes them after the project. */
async function insertRows(on: Queryable, sql: string, { project, rows }: Rows): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const columns = (some[0] ?? []).map((_, index) => some.map((row) => row[index] ?? null));
    await on.query(sql, [project, ...columns]);
  }
}

function columnsOf(recorded: Recorded): readonly Value[] {
  const { plan, task, seq, run, at, type, body } = rowOf(recorded);
  return [plan, task, seq, run, at, type, body];
}

/** Of each task that goes on: its plan, its id, and what its row says of it after the whole of its history. */
function standsOf(
  history: readonly Recorded[],
  added: readonly Recorded[],
): readonly (readonly [plan: string, id: string, head: number, phase: string, outcome: Value])[] {
  const keyOf = ({ plan, task }: Recorded): string => JSON.stringify([plan, task]);
  const touched = new Set(added.map(keyOf));
  const tasks = new Map<string, { readonly last: Recorded; readonly stand: Stand }>();
  for (const last of history) {
    const key = keyOf(last);
    if (!touched.has(key)) continue;
    const before = tasks.get(key)?.stand ?? { phase: 'open', outcome: null };
    tasks.set(key, { last, stand: standAfter(before, last.event) });
  }
  return [...tasks.values()].map(({ last: { plan, task, seq }, stand }) => {
    return [plan, task, seq, stand.phase, stand.outcome];
  });
}

const INSERT_PLANS = `insert into skeleton.plan as plan (project, slug, path, highest)
  select $1::text, * from unnest($2::text[], $3::text[], $4::int[])
  on conflict (project, slug) do update set highest = greatest(plan.highest, excluded.highest)`;

const OF_PLAN = 'join skeleton.plan as plan on plan.project = $1 and plan.slug = given.slug';

const INSERT_TASKS = `insert into skeleton.task (plan, id)
  select plan.no, given.id from unnest($2::text[], $3::text[]) as given (slug, id) ${OF_PLAN}
  on conflict do nothing`;

const INSERT_EVENTS = `insert into skeleton.event (plan, task, seq, run, at, type, body)
  select plan.no, given.task, given.seq, given.run, given.at, given.type, given.body
  from unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[])
    with ordinality as given (slug, task, seq, run, at, type, body, nth) ${OF_PLAN}
  order by given.nth`;

const SET_STANDS = `update skeleton.task as task
  set head = given.head, phase = given.phase, outcome = given.outcome
  from unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[])
    as given (slug, id, head, phase, outcome) ${OF_PLAN}
  where task.plan = plan.no and task.id = given.id`;

const INSERT_VERDICTS = `insert into skeleton.verdict (project, tree, gates_hash, verdict)
  select $1::text, * from unnest($2::text[], $3::text[], $4::text[]) on conflict do nothing`;
