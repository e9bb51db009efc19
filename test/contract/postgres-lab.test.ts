import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import {
  openPostgresLab,
  openPostgresServer,
  type PostgresLab,
  type PostgresServer,
} from '../support/postgres-lab.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';

describe('a PostgreSQL for tests', () => {
  const clients: Client[] = [];
  let lab: PostgresLab | undefined;

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end().catch(() => undefined);
    await lab?.close();
    lab = undefined;
  });

  async function open(): Promise<PostgresServer> {
    const server = await openPostgresServer();
    lab = server;
    return server;
  }

  async function connected(url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    clients.push(client);
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  it('gives each caller a database of its own', async () => {
    lab = await openPostgresLab();
    const [one, other] = [await lab.database(), await lab.database()];
    await (await connected(one)).query('create table t (x int)');
    const found = await (await connected(other)).query(`select to_regclass('t') as there`);
    expect(found.rows).toEqual([{ there: null }]);
    await expect(connected(one.replace(/:[^:@]+@/, ':wrong@'))).rejects.toThrow(/password/);
  });

  it.each(['fast', 'immediate', 'kill'] as const)(
    'keeps what was written when it ends (%s), and ends its connections',
    async (how) => {
      const server = await open();
      const url = await server.database();
      const client = await connected(url);
      await client.query('create table t as select 1 as x');
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      await server.restart(how);
      await ended;
      const { rows } = await (await connected(url)).query('select x from t');
      expect(rows).toEqual([{ x: 1 }]);
    },
  );

  it('holds its answers back, and gives them later, where the wire is cut', async () => {
    const server = await open();
    const proxy = await openTcpProxy(server.port);
    try {
      const client = await connected(proxy.through(await server.database()));
      proxy.pause();
      let isAnswered = false;
      const answer = client.query('select 1 as x').then(({ rows }) => {
        isAnswered = true;
        return rows as unknown;
      });
      await sleep(200);
      expect(isAnswered).toBe(false);
      proxy.resume();
      expect(await answer).toEqual([{ x: 1 }]);
      const lost = expect(client.query('select pg_sleep(9)')).rejects.toThrow();
      proxy.drop();
      await lost;
    } finally {
      await proxy.close();
    }
  });
});
