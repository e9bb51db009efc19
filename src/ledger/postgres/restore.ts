import type { Ledger } from '../../ports.ts';
import { rowOf } from '../event-row.ts';
import type { Connection } from './connection.ts';
import { spaceOf } from './held-locks.ts';
import { standAfter, type Stand } from './phases.ts';
import { addTasks } from './rows.ts';

type Lost = Parameters<Ledger['restore']>[1]['entries'][number];

/** In one transaction. A task that somebody is at work on is left out: he knows it better than what was found. */
export async function restoreEvents(
  on: Connection,
  { no, slug }: { readonly no: number; readonly slug: string },
  entries: readonly Lost[],
): Promise<void> {
  const tasks = await lockTasks(on, no, [...new Set(entries.map(({ task }) => task))]);
  const rows = entries.flatMap(({ task, run, at, event }) => {
    const row = tasks.get(task);
    if (row === undefined) return [];
    row.head += 1;
    row.stand = standAfter(row.stand, event);
    return [rowOf({ plan: slug, task, run, at, event, seq: row.head })];
  });
  const touched = [...tasks.values()];
  await on.query(UPDATE, [
    ...[touched.map((row) => row.no), touched.map((row) => row.head)],
    ...[touched.map((row) => row.stand.phase), touched.map((row) => row.stand.outcome)],
  ]);
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    await on.query(INSERT, [
      ...[no, some.map(({ task }) => task), some.map(({ seq }) => seq)],
      ...[some.map(({ run }) => run), some.map(({ at }) => at)],
      ...[some.map(({ type }) => type), some.map(({ body }) => body)],
    ]);
  }
}

const AT_ONCE = 2000;

interface TaskRow {
  readonly no: number;
  head: number;
  stand: Stand;
}

const LOCK = `
  with mine as materialized (
    select no from skeleton.task where plan = $1 and id = any ($2::text[])
  )
  select no from mine where pg_try_advisory_xact_lock(${spaceOf('task')}, no)`;

async function lockTasks(
  on: Connection,
  plan: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TaskRow>> {
  await addTasks(on, plan, ids);
  const locked = (await on.query(LOCK, [plan, ids])).map(({ no }) => no);
  // A new statement sees what was written before the locks were ours.
  const rows = await on.query(
    `select no, id, head, phase, outcome from skeleton.task where no = any ($1::int4[]) order by no for update`,
    [locked],
  );
  return new Map(
    rows.map(({ no, id, head, phase, outcome }) => [
      String(id),
      {
        ...{ no: Number(no), head: Number(head) },
        stand: { phase: String(phase), outcome: typeof outcome === 'string' ? outcome : null },
      },
    ]),
  );
}

const UPDATE = `
  update skeleton.task as t set head = n.head, phase = n.phase, outcome = n.outcome
  from unnest($1::int4[], $2::int4[], $3::text[], $4::text[]) as n (no, head, phase, outcome)
  where t.no = n.no`;

const INSERT = `
  insert into skeleton.event (plan, task, seq, run, at, type, body)
  select $1, n.task, n.seq, n.run, n.at, n.type, n.body
  from unnest($2::text[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::text[])
    with ordinality as n (task, seq, run, at, type, body, place)
  order by n.place`;
