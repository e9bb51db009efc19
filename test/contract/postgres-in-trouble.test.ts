import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { openPostgres, type OpenPostgres } from '../../src/ledger/postgres/open-postgres.ts';
import { Refusal } from '../../src/ports.ts';
import { openPostgresLab, type PostgresLab } from '../support/postgres-lab.ts';

const plan = 'demo';
const notice: Event = { type: 'notice', message: 'words' };
const runStarted: Event = {
  ...{ type: 'run.started', schema: 1, plan: 'PLAN.md', base: 'base', branch: 'b', start: '' },
  options: {},
};

describe('a server that does not carry out a statement', () => {
  let lab: PostgresLab;
  let url: string;
  let admin: Client;
  let one: OpenPostgres;

  beforeAll(async () => {
    lab = await openPostgresLab();
  });
  afterAll(async () => lab.close());

  beforeEach(async () => {
    url = await lab.database();
    const worker = { host: 'here', pid: process.pid, run: 'r' };
    one = await openPostgres(url, { project: 'p', worker, patienceMs: 6000, settleMs: 0 });
    await one.ledger.addPlan(plan, 'PLAN.md');
    await one.claims.join(plan, ['a']);
    admin = new Client({ connectionString: url });
    admin.on('error', () => undefined);
    await admin.connect();
  });
  afterEach(async () => {
    await one.close();
    await admin.end();
  });

  const write = async (event: Event = notice): Promise<unknown> =>
    one.ledger
      .append({ run: 'r', plan, task: '', event }, undefined)
      .catch((error: unknown) => error);

  /** What a full disk and the like say, at the next rows: each of `times`. */
  async function failWith(code: string, times = 1000): Promise<void> {
    await admin.query(`create sequence public.tries`);
    await admin.query(`create function public.fail() returns trigger language plpgsql as $$ begin
      if nextval('public.tries') <= ${times} then raise exception 'in its words' using errcode = '${code}'; end if;
      return new; end $$`);
    await admin.query(`create trigger fails before insert on skeleton.event
      for each row execute function public.fail()`);
  }

  it.each([
    ['53100', 'has no room left', 'make room'],
    ['53200', 'is at a limit', 'give the server more'],
    ['53300', 'cannot be used', 'max_connections'],
    ['54000', 'is at a limit', 'give the server more'],
    ['25006', 'is read-only', 'name the primary'],
    ['42501', 'does not let this role', 'skeleton doctor'],
    ['58030', 'has a fault of its own', 'log of its server'],
  ])('%s: 3 before a run has begun, 4 afterwards, in words', async (code, what, mend) => {
    await failWith(code);
    const before = await write();
    expect(before).toBeInstanceOf(Refusal);
    expect(before).toMatchObject({ status: 3, mend: expect.stringContaining(mend) as string });
    expect(String(before)).toMatch(new RegExp(`the ledger postgres://.* ${what}.*: in its words$`));
    await admin.query('drop trigger fails on skeleton.event');
    expect(await write(runStarted)).toMatchObject({ seq: 1 });
    await admin.query(
      'create trigger fails before insert on skeleton.event for each row execute function public.fail()',
    );
    expect(await write()).toMatchObject({ name: 'Refusal', status: 4 });
  });

  it.each(['40P01', '40001', '55P03', '57014'])('%s passes: it is tried again', async (code) => {
    await failWith(code, 2);
    expect(await write()).toMatchObject({ seq: 1 });
    expect(await one.ledger.history(plan)).toHaveLength(1);
  });

  it('a table that is gone, and the whole schema, are told', async () => {
    await admin.query('alter table skeleton.event rename to elsewhere');
    const gone = { status: 3, mend: expect.stringContaining('restore a backup') as string };
    expect(await write()).toMatchObject(gone);
    await admin.query('drop schema skeleton cascade');
    expect(await write()).toMatchObject(gone);
    await expect(one.claims.survey(plan)).rejects.toMatchObject(gone);
  });

  it('a claim is let go where its row cannot be written: another has it at once', async () => {
    const claim = await one.claims.claim(plan, ['a']);
    await admin.query(`create function public.full() returns trigger language plpgsql as $$ begin
      raise exception 'full' using errcode = '53100'; end $$`);
    await admin.query(`create trigger is_full before update on skeleton.task
      for each row execute function public.full()`);
    await claim?.release();
    const held = `select from pg_locks where locktype = 'advisory' and classid = 'skeleton.task'::regclass::oid
      and database = (select oid from pg_database where datname = current_database())`;
    expect(claim?.task).toBe('a');
    expect((await admin.query(held)).rows).toEqual([]);
  });

  it('a database that was dropped: 3, in words', async () => {
    const { rows } = await admin.query<{ name: string }>('select current_database() as name');
    const at = new URL(url);
    at.pathname = '/postgres';
    const other = new Client({ connectionString: at.href });
    await other.connect();
    await other.query(`drop database ${String(rows[0]?.name)} with (force)`);
    const told = await write();
    // For the lab, which takes it away at the end.
    await other.query(`create database ${String(rows[0]?.name)}`);
    await other.end();
    expect(told).toMatchObject({
      name: 'Refusal',
      status: 3,
      mend: expect.stringContaining('createdb') as string,
    });
  });

  it('what only a bug of ours brings about stays one', async () => {
    await failWith('23514');
    const error = await write();
    expect(error).not.toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ code: '23514' });
  });
});
