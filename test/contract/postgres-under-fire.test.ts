import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import {
  openPostgres,
  openPostgresLedger,
  type OpenPostgres,
} from '../../src/ledger/postgres/open-postgres.ts';
import { ClaimLost, Refusal, StaleWrite, type Claim } from '../../src/ports.ts';
import { compileSources } from '../support/compiled-sources.ts';
import { openPostgresServer, type PostgresServer } from '../support/postgres-lab.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const plan = 'demo';
const begun: Event = {
  type: 'attempt.started',
  ...{ number: 1, attempt: 1, attempts: 5, base: 'base', agent: 'claude', token: 't' },
  worktree: 'w1',
};

function notice(message: string): Event {
  return { type: 'notice', message };
}

describe('workers of a PostgreSQL that things happen to', () => {
  let compiled: string;
  let server: PostgresServer;
  let url: string;
  const opened: { close(): Promise<unknown> }[] = [];
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    compiled = await compileSources(['src/ledger/postgres/open-postgres.ts']);
    server = await openPostgresServer();
  });

  afterAll(async () => {
    await server.close();
    rmSync(compiled, { recursive: true });
  });

  beforeEach(async () => {
    url = await server.database();
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(opened.splice(0).map(async (one) => one.close()));
  });

  /** A patience of 6 s makes pings of 0.25 s, deadlines of 0.5 s, and sessions that end after 1.5 s of silence. */
  async function start(run: string, at = url, patienceMs = 6000): Promise<OpenPostgres> {
    const worker = { host: 'here', pid: process.pid, run };
    const one = await openPostgres(at, { project: 'p', worker, patienceMs, settleMs: 0 });
    opened.push(one);
    await one.ledger.addPlan(plan, 'PLAN.md');
    await one.claims.join(plan, ['a', 'b']);
    return one;
  }

  async function begin(one: OpenPostgres): Promise<Claim> {
    const claim = await one.claims.claim(plan, ['a']);
    if (claim === undefined) throw new Error('a is not free');
    await write(one, begun, 0);
    return claim;
  }

  async function write({ ledger }: OpenPostgres, event: Event, expected: number): Promise<number> {
    return (await ledger.append({ run: 'r', plan, task: 'a', event }, expected)).seq;
  }

  async function wire(): Promise<TcpProxy> {
    const proxy = await openTcpProxy(server.port);
    opened.push(proxy);
    return proxy;
  }

  async function administrator(at = url): Promise<Client> {
    const client = new Client({ connectionString: at });
    client.on('error', () => undefined);
    await client.connect();
    opened.push({ close: async () => client.end().catch(() => undefined) });
    return client;
  }

  /** When somebody else gets what a lost worker had. */
  async function untilClaimed(
    one: OpenPostgres,
  ): Promise<{ readonly milliseconds: number; readonly claim: Claim }> {
    const begin = performance.now();
    for (;;) {
      const claim = await one.claims.claim(plan, ['a']);
      if (claim !== undefined) return { claim, milliseconds: performance.now() - begin };
      await sleep(20);
    }
  }

  interface Other {
    readonly child: ChildProcess;
    /** What it tells next. */
    hear(): Promise<unknown>;
    say(line: string): void;
  }

  async function startWorker(patience: number): Promise<Other> {
    const fixture = join(import.meta.dirname, 'fixtures', 'work-in-postgres.mjs');
    const child = spawn(process.execPath, [fixture, compiled, url, 'other', `${patience}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const other: Other = {
      child,
      hear: async () => JSON.parse(String((await lines.next()).value)) as unknown,
      say: (line) => void child.stdin.write(`${line}\n`),
    };
    expect(await other.hear()).toEqual({ claimed: 'a' });
    return other;
  }

  it('another one goes on as soon as a worker is killed', async () => {
    // Its silence alone would be noticed after 15 s.
    const other = await startWorker(60_000);
    const one = await start('r1');
    expect((await one.claims.survey(plan)).held).toMatchObject([{ task: 'a', host: 'there' }]);
    other.child.kill('SIGKILL');
    expect((await untilClaimed(one)).milliseconds).toBeLessThan(8000);
    await write(one, notice('goes on'), 1);
  });

  it('another one goes on when a worker is frozen, and that one stops when it thaws', async () => {
    const other = await startWorker(6000);
    const one = await start('r1');
    other.child.kill('SIGSTOP');
    await untilClaimed(one);
    await write(one, { type: 'attempt.voided', why: 'interrupted' }, 1);
    other.child.kill('SIGCONT');
    expect(await other.hear()).toEqual({ lost: 'ClaimLost' });
    other.say('late');
    expect(await other.hear()).toEqual({ refused: 'ClaimLost' });
    expect(await one.ledger.taskHistory(plan, 'a')).toHaveLength(2);
  });

  it('loses nothing when the server falls over: who held a task has it again', async () => {
    const [one, two] = [await start('r1'), await start('r2')];
    const claim = await begin(one);
    const signal = new AbortController().signal;
    const turn = await one.claims.turn(plan, signal);
    const restarted = server.restart('immediate');
    const seq = await write(one, notice('meanwhile'), 1);
    await restarted;
    expect(seq).toBe(2);
    await claim.assertHeld();
    await turn?.assertHeld();
    expect(await two.claims.claim(plan, ['a'])).toBeUndefined();
    expect(await two.claims.join(plan, ['a'])).toEqual({ isAlone: false });
    expect((await two.ledger.taskHistory(plan, 'a')).map(({ event }) => event.type)).toEqual([
      'attempt.started',
      'notice',
    ]);
  });

  it('gives up on a server that is gone for good, in words without the password', async () => {
    const one = await start('r1', url, 800);
    const claim = await begin(one);
    await server.stop('immediate');
    try {
      const error = await write(one, notice('nowhere'), 1).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Refusal);
      expect(error).toMatchObject({ status: 3 });
      expect(String(error)).toMatch(/the ledger postgres:\/\/postgres@127.* cannot be reached/);
      expect(String(error)).not.toContain(new URL(url).password);
      expect(claim.lost.reason).toBe(error);
      await claim.release();
      await one.close();
    } finally {
      await server.start();
    }
  });

  it('has the claim again at once where only its connection froze, and its old one is still there', async () => {
    const proxy = await wire();
    const one = await start('r1', proxy.through(url));
    const claim = await begin(one);
    proxy.freeze();
    expect(await write(one, notice('on the next connection'), 1)).toBe(2);
    await claim.assertHeld();
  });

  it('counts what was written although the answer never came, once', async () => {
    const proxy = await wire();
    const one = await start('r1', proxy.through(url));
    const claim = await begin(one);
    const admin = await administrator();
    await admin.query('begin');
    await admin.query(`select from skeleton.task where id = 'a' for update`);
    const written = write(one, notice('in the dark'), 1);
    await sleep(100);
    proxy.pause();
    await admin.query('commit');
    const count = async (): Promise<unknown> => {
      const sql = `select from skeleton.event where body like '%in the dark%'`;
      return (await admin.query(sql)).rowCount;
    };
    await expect.poll(count, { timeout: 10_000 }).toBe(1);
    proxy.resume();
    proxy.drop();
    expect(await written).toBe(2);
    expect(await count()).toBe(1);
    await claim.assertHeld();
  });

  it.each([
    ['is at work on it', false],
    ['has let it go again', true],
  ])(
    'writes no more about a task that another took while the wire was cut, and %s',
    async (_, isFree) => {
      const proxy = await wire();
      const one = await start('r1', proxy.through(url));
      const claim = await begin(one);
      const two = await start('r2');
      proxy.pause();
      const other = await untilClaimed(two);
      if (isFree) await other.claim.release();
      const late = write(one, notice('late'), 1);
      proxy.drop();
      proxy.resume();
      await expect(late).rejects.toThrow(ClaimLost);
      expect(claim.lost.reason).toBeInstanceOf(ClaimLost);
      await expect(claim.assertHeld()).rejects.toThrow(ClaimLost);
      await expect(write(one, notice('later'), 1)).rejects.toThrow(ClaimLost);
      await claim.release();
      if (!isFree) await expect(write(one, notice('without it'), 1)).rejects.toThrow(StaleWrite);
      expect(await two.ledger.taskHistory(plan, 'a')).toHaveLength(1);
    },
  );

  it('refuses a pooler, whose server process is not the one it named', async () => {
    const pooler = await openFalsePooler(server.port);
    opened.push(pooler);
    const address = pooler.server.address() as AddressInfo;
    const at = new URL(url);
    at.port = String(address.port);
    await expect(start('r1', at.href)).rejects.toMatchObject({
      status: 3,
      message: expect.stringMatching(/behind a connection pooler/) as string,
      mend: expect.stringMatching(/session mode/) as string,
    });
  });

  it.each<[string, (at: URL) => void, RegExp]>([
    [
      'a wrong password',
      (at) => (at.password = 'wr0ng-password'),
      /password authentication failed/,
    ],
    ['no such database', (at) => (at.pathname = '/nowhere'), /"nowhere" does not exist/],
    ['TLS that is not there', (at) => (at.search = '?sslmode=verify-full'), /SSL/],
  ])('does not wait for %s', async (_, change, words) => {
    const at = new URL(url);
    change(at);
    const since = performance.now();
    const error = await start('r1', at.href, 60_000).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Refusal);
    expect(String(error)).toMatch(words);
    expect(String(error)).not.toContain(at.password);
    // Of the 5 s that a first connection has.
    expect(performance.now() - since).toBeLessThan(4500);
  });

  it('waits a little for a server that is about to be there', async () => {
    const begin = performance.now();
    await expect(start('r1', 'postgres://me:secret@127.0.0.1:1/db', 500)).rejects.toThrow(
      'the ledger postgres://me@127.0.0.1:1/db cannot be reached: connect ECONNREFUSED',
    );
    expect(performance.now() - begin).toBeGreaterThan(400);
    await expect(start('r1', 'postgres://me:sec ret@[/db')).rejects.toMatchObject({ status: 2 });
  });

  it('reads a ledger that is not there as an empty one, and makes none', async () => {
    const reader = await openPostgresLedger(url, { project: 'p', readOnly: true });
    opened.push(reader);
    expect(await reader.history(plan)).toEqual([]);
    expect(await reader.highestNumber(plan)).toBe(0);
    await expect(reader.addPlan(plan, 'PLAN.md')).rejects.toThrow();
    const admin = await administrator();
    const schema = await admin.query(`select to_regnamespace('skeleton') as there`);
    expect(schema.rows).toEqual([{ there: null }]);
    await begin(await start('r1'));
    expect(await reader.history(plan)).toHaveLength(1);
    await expect(reader.addPlan('x', 'X.md')).rejects.toThrow(/read-only/);
    await admin.query('insert into skeleton.migration (version) values (999)');
    const newer = await openPostgresLedger(url, { project: 'p', readOnly: true });
    opened.push(newer);
    await expect(newer.history(plan)).rejects.toThrow(/schema 999, this skeleton knows none above/);
    await expect(start('r2')).rejects.toThrow(/schema 999/);
  });

  it('needs no more than the documented grants', async () => {
    const admin = await administrator();
    const role = `worker_${new URL(url).pathname.slice(-12)}`;
    await start('r0');
    await admin.query(`create role ${role} login password 'only-this'`);
    await admin.query(`grant usage on schema skeleton to ${role}`);
    await admin.query(`grant select, insert, update on all tables in schema skeleton to ${role}`);
    const at = new URL(url);
    [at.username, at.password] = [role, 'only-this'];
    const one = await start('r1', at.href);
    const claim = await begin(one);
    await one.ledger.rememberVerdict('tree', 'gates', 'pass');
    expect(await one.ledger.takeNumber(plan, 0)).toBe(1);
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
    );
    expect(await write(one, notice('again'), 1)).toBe(2);
    await claim.release();
    await one.claims.leave(plan);
    await one.close();
  });
});

interface FalsePooler {
  readonly server: Server;
  close(): Promise<void>;
}

/** As a pooler does, it names another process than the one that will do the work (BackendKeyData, `K`). */
async function openFalsePooler(target: number): Promise<FalsePooler> {
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    near.pipe(far);
    far.on('data', (bytes) => {
      const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (at >= 0) bytes.writeInt32BE(1, at + 5);
      near.write(bytes);
    });
    near.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined).on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
