import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate, migrations, type Queryable } from '../../src/ledger/postgres/migrations.ts';
import { Refusal } from '../../src/ports.ts';
import { openPostgresLab, type PostgresLab } from '../support/postgres-lab.ts';

const WHERE = 'postgres://somebody@example.invalid/ledger';

/** Of each step, as it was released. A step that is new gets its line here; a line is never changed. */
const released = ['sha256:e5c9d418150a6239362f69a37cf0530e2adda3b68c5771b71a789933753326a6'];

it('has left every released step as it was', () => {
  const sums = migrations.map((step) =>
    createHash('sha256').update(step.join(';\n')).digest('hex'),
  );
  expect(sums.map((sum) => `sha256:${sum}`)).toEqual(released);
});

describe("the schema of PostgreSQL's ledger", () => {
  let lab: PostgresLab;
  let url: string;
  let admin: Client;
  const clients: Client[] = [];
  const roles: string[] = [];

  beforeAll(async () => {
    lab = await openPostgresLab();
  });
  afterAll(async () => lab.close());

  beforeEach(async () => {
    url = await lab.database();
    admin = await connect(url);
  });
  afterEach(async () => {
    for (const role of roles.splice(0))
      for (const what of [`drop owned by ${role} cascade`, `drop role ${role}`])
        await admin.query(what);
    for (const client of clients.splice(0)) await client.end();
  });

  async function connect(to: string): Promise<Client> {
    const client = new Client({ connectionString: to });
    await client.connect();
    clients.push(client);
    return client;
  }

  /** A session of a new role that owns nothing. */
  async function asNobody(): Promise<{ readonly role: string; readonly client: Client }> {
    const role = `worker_${randomUUID().slice(0, 8)}`;
    await admin.query(`create role ${role} login password 'p'`);
    roles.push(role);
    const own = new URL(url);
    own.username = role;
    own.password = 'p';
    return { role, client: await connect(own.href) };
  }

  function session(client: Client, heard: string[] = []): Queryable {
    return {
      query: async (text, values) => {
        heard.push(text);
        const { rows } = await client.query<Record<string, unknown>>(text, values && [...values]);
        return rows;
      },
    };
  }

  async function versions(): Promise<unknown> {
    const { rows } = await admin.query('select version from skeleton.migration order by version');
    return rows;
  }

  it('is made once, however many begin at one instant, and then left alone', async () => {
    const many = await Promise.all(Array.from({ length: 5 }, async () => connect(url)));
    await Promise.all(many.map(async (client) => migrate(session(client), WHERE)));
    expect(await versions()).toEqual(migrations.map((_, index) => ({ version: index + 1 })));
    const heard: string[] = [];
    await migrate(session(admin, heard), WHERE);
    expect(heard.every((text) => text.startsWith('select'))).toBe(true);
  });

  it('takes the steps that are missing, and none of one that fails', async () => {
    const next = [...migrations, ['create table skeleton.more (x int)', 'create nonsense']];
    await expect(migrate(session(admin), WHERE, next)).rejects.toThrow(/nonsense/);
    await migrate(session(admin), WHERE);
    await expect(migrate(session(admin), WHERE, next)).rejects.toThrow(/nonsense/);
    const mended = [...migrations, ['create table skeleton.more (x int)']];
    await migrate(session(admin), WHERE, mended);
    expect(await versions()).toHaveLength(migrations.length + 1);
  });

  it('is refused where it is newer than we are, by name and without its password', async () => {
    const newer = [...migrations, ['create table skeleton.more (x int)']];
    await migrate(session(admin), WHERE, newer);
    const refusal = new Refusal(
      3,
      `the ledger ${WHERE} has schema ${newer.length}, this skeleton knows none above ${migrations.length}`,
      'use the newer skeleton that wrote it',
    );
    await expect(migrate(session(admin), WHERE)).rejects.toEqual(refusal);
  });

  it('needs no more than the grants that an administrator is told of', async () => {
    const { client } = await asNobody();
    await migrate(session(admin), WHERE);
    const refusal = await refusalOf(migrate(session(client), WHERE));
    expect(refusal.status).toBe(3);
    await admin.query(lineOf(refusal));
    await migrate(session(client), WHERE);
    const { rows } = await client.query<{ no: number }>(
      `insert into skeleton.plan (project, slug, path) values ('p', 's', 'PLAN.md') returning no`,
    );
    const plan = rows[0]?.no;
    await client.query('insert into skeleton.task (plan, id) values ($1, $2)', [plan, 'a']);
    await client.query(
      `insert into skeleton.event (plan, task, seq, run, at, type, body) values ($1, 'a', 1, 'r', 't', 'notice', '{}')`,
      [plan],
    );
    await client.query('update skeleton.task set head = 1');
  });

  it('is made by a role that may make nothing, after one line of an administrator', async () => {
    const { client, role } = await asNobody();
    const refusal = await refusalOf(migrate(session(client), WHERE));
    expect(refusal.message).toContain(WHERE);
    expect(lineOf(refusal)).toBe(`create schema skeleton authorization ${role};`);
    await admin.query(lineOf(refusal));
    await migrate(session(client), WHERE);
    expect(await versions()).toHaveLength(migrations.length);
  });

  it('tells who has to migrate, where a role with the grants finds an older one', async () => {
    const { client } = await asNobody();
    await migrate(session(admin), WHERE);
    await admin.query(lineOf(await refusalOf(migrate(session(client), WHERE))));
    const newer = [...migrations, ['create table skeleton.more (x int)']];
    const refusal = await refusalOf(migrate(session(client), WHERE, newer));
    const { rows } = await admin.query<{ name: string }>('select current_user as name');
    expect(refusal.mend).toContain(rows[0]?.name);
  });

  async function refusalOf(work: Promise<void>): Promise<Refusal> {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    if (!(error instanceof Refusal)) throw new Error('it was not refused', { cause: error });
    return error;
  }

  function lineOf({ mend }: Refusal): string {
    return mend.slice(mend.indexOf('  ')).trim();
  }
});
