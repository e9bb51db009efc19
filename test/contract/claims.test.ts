import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { claimFirst } from '../../src/ledger/postgres/claim-first.ts';
import type { Connection } from '../../src/ledger/postgres/connection.ts';
import { heldLocks } from '../../src/ledger/postgres/held-locks.ts';
import { openPostgres, type OpenPostgres } from '../../src/ledger/postgres/open-postgres.ts';
import type { Session } from '../../src/ledger/postgres/session.ts';
import { ClaimLost, StaleWrite, type Claim, type Worker } from '../../src/ports.ts';
import { openPostgresLab, type PostgresLab } from '../support/postgres-lab.ts';

const plan = 'demo';
const snapshot = { ref: 'refs/skeleton/attempts/demo/a/1', commit: 'c0ffee' };
const begun: Event = {
  type: 'attempt.started',
  ...{ number: 1, attempt: 1, attempts: 5, base: 'base', agent: 'claude', token: 't' },
  worktree: 'w1',
};
const voided: Event = { type: 'attempt.voided', why: 'interrupted' };
const rolledBack: Event = { type: 'rollback.done', snapshot };
const agentFinished: Event = {
  type: 'agent.finished',
  ...{ seconds: 1, ended: 'exit 0', exit: 0, log: '' },
};
const gatesPassed: Event = {
  type: 'gates.passed',
  ...{ commit: 'c1', tag: 't', proof: 'p', proofObject: 'o', gates: [] },
};
const checkpoint: Event = { type: 'checkpoint.created', tag: 't', commit: 'c1' };
const failed: Event = { type: 'task.finished', state: 'failed' };
const patient = { timeout: 10_000 };

describe('claims of workers in PostgreSQL', () => {
  let lab: PostgresLab;
  let url: string;
  // One database, and in it a repository for each test.
  let project: string;
  const opened: OpenPostgres[] = [];

  beforeAll(async () => {
    lab = await openPostgresLab();
    url = await lab.database();
  });

  afterAll(async () => lab.close());

  beforeEach(() => {
    project = randomUUID();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (one) => one.close()));
  });

  function worker(run: string): Worker {
    return { host: 'here', pid: process.pid, run };
  }

  async function open(run: string, { settleMs = 0, of = project } = {}): Promise<OpenPostgres> {
    const options = { project: of, worker: worker(run), patienceMs: 20_000, settleMs };
    const one = await openPostgres(url, options);
    opened.push(one);
    await one.ledger.addPlan(plan, 'PLAN.md');
    return one;
  }

  /** A worker that is at work on the plan. */
  async function join(
    run: string,
    tasks: readonly string[] = ['a', 'b', 'c'],
  ): Promise<OpenPostgres> {
    const one = await open(run);
    await one.claims.join(plan, tasks);
    return one;
  }

  async function claim({ claims }: OpenPostgres, among: readonly string[]): Promise<Claim> {
    const claimed = await claims.claim(plan, among);
    if (claimed === undefined) throw new Error(`none of ${among.join(', ')} was free`);
    return claimed;
  }

  /** After what is there. */
  async function write({ ledger }: OpenPostgres, task: string, ...events: Event[]): Promise<void> {
    let seq = (await ledger.taskHistory(plan, task)).length;
    for (const event of events)
      ({ seq } = await ledger.append({ run: 'r', plan, task, event }, seq));
  }

  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: url });
    await client.connect();
    return client;
  }

  async function ask(sql: string): Promise<void> {
    const client = await connect();
    await client.query(sql);
    await client.end();
  }

  /** From outside, as an administrator does. */
  async function endConnections(of: string): Promise<void> {
    await ask(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'skeleton % ${of} %'`,
    );
  }

  it('gives each task to one, the first that is free', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    expect((await claim(one, ['b', 'a', 'c'])).task).toBe('b');
    expect((await claim(one, ['b', 'a', 'c'])).task).toBe('a');
    const last = await claim(two, ['a', 'b', 'c']);
    expect(last.task).toBe('c');
    expect(await one.claims.claim(plan, ['a', 'b', 'c'])).toBeUndefined();
    await last.assertHeld();
    await last.release();
    await last.release();
    expect((await claim(one, ['c'])).task).toBe('c');
  });

  it('keeps plans and projects apart, and knows a task that came later', async () => {
    const one = await join('r1');
    const other = await open('r2', { of: randomUUID() });
    await other.claims.join(plan, ['a']);
    await claim(one, ['a']);
    expect((await claim(other, ['a'])).task).toBe('a');
    expect((await claim(one, ['new'])).task).toBe('new');
    expect((await other.claims.survey(plan)).held.map(({ task, run }) => [task, run])).toEqual([
      ['a', 'r2'],
    ]);
  });

  it('gives each of many tasks once, however many ask', async () => {
    const tasks = Array.from({ length: 60 }, (_, nth) => `t${nth}`);
    const workers = await Promise.all(
      ['r1', 'r2', 'r3', 'r4'].map(async (run) => join(run, tasks)),
    );
    const done: string[] = [];
    await Promise.all(
      workers.map(async (one) => {
        for (;;) {
          const claimed = await one.claims.claim(plan, tasks);
          if (claimed === undefined) return;
          done.push(claimed.task);
          await write(one, claimed.task, begun, agentFinished, gatesPassed, checkpoint);
          await claimed.release();
        }
      }),
    );
    expect(done.sort()).toEqual(tasks.sort());
  });

  it('gives no task again that passed or failed in this team; in the next it begins anew', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    const a = await claim(one, ['a']);
    expect(a.isContinued).toBe(false);
    await write(one, 'a', begun, voided, rolledBack);
    await a.release();
    const again = await claim(two, ['a']);
    expect(again.isContinued).toBe(true);
    await write(two, 'a', failed);
    await again.release();
    const b = await claim(one, ['a', 'b']);
    await write(one, 'b', begun, agentFinished, gatesPassed, checkpoint);
    await b.release();
    await one.claims.leave(plan);
    const three = await join('r3');
    expect(await three.claims.claim(plan, ['a', 'b'])).toBeUndefined();
    expect([...(await three.claims.survey(plan)).settled]).toEqual([['a', 'failed']]);
    await two.claims.leave(plan);
    await three.claims.leave(plan);

    const next = await join('r4');
    expect((await next.claims.survey(plan)).settled.size).toBe(0);
    // That b is wanted again although it passed: somebody has taken it back.
    for (const task of ['b', 'a']) {
      const anew = await claim(next, [task, 'c']);
      expect([anew.task, anew.isContinued]).toEqual([task, false]);
      await write(next, task, { type: 'task.reopened', anew: true }, begun);
    }
  });

  it('knows who is alone; a team whose last worker dies goes on', async () => {
    const one = await open('r1');
    expect(await one.claims.join(plan, ['a'])).toEqual({ isAlone: true });
    const two = await open('r2');
    expect(await two.claims.join(plan, ['a'])).toEqual({ isAlone: false });
    await claim(two, ['a']);
    await write(two, 'a', begun, voided, rolledBack, failed);
    await one.claims.leave(plan);
    await two.close();
    const three = await open('r3');
    expect(await three.claims.join(plan, ['a'])).toEqual({ isAlone: true });
    expect([...(await three.claims.survey(plan)).settled.keys()]).toEqual(['a']);
  });

  it('leaves what somebody had begun alone for a while, on a new connection', async () => {
    const one = await join('r1');
    await claim(one, ['a']);
    await write(one, 'a', begun);
    await one.close();
    const two = await open('r2', { settleMs: 2000 });
    expect((await claim(two, ['a', 'b'])).task).toBe('b');
    expect(await two.claims.claim(plan, ['a'])).toBeUndefined();
    const later = async (): Promise<unknown> => two.claims.claim(plan, ['a']);
    await expect.poll(later, patient).toMatchObject({ task: 'a', isContinued: true });
  });

  it('leaves nothing alone that has passed: in the next team it is to do at once, if it was taken back', async () => {
    const one = await join('r1');
    await claim(one, ['a']);
    await write(one, 'a', begun, agentFinished, gatesPassed, checkpoint);
    await one.claims.leave(plan);
    await one.close();
    const two = await open('r2', { settleMs: 60_000 });
    await two.claims.join(plan, ['a']);
    expect(await claim(two, ['a'])).toMatchObject({ task: 'a', isContinued: false });
  });

  it('takes what it holds again on a new connection, and goes on', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    const a = await claim(one, ['a']);
    await write(one, 'a', begun);
    await endConnections('r1');
    await a.assertHeld();
    await write(one, 'a', agentFinished);
    expect(a.lost.aborted).toBe(false);
    expect(await two.claims.claim(plan, ['a'])).toBeUndefined();
    expect(await two.claims.join(plan, ['a'])).toEqual({ isAlone: false });
    await a.release();
    await claim(two, ['a']);
  });

  it('says whose a task is and since when, as the server sees it', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    const before = Date.now() - 1000;
    const a = await claim(one, ['a']);
    const { held } = await two.claims.survey(plan);
    expect(held).toEqual([{ task: 'a', ...worker('r1'), since: expect.any(String) as string }]);
    expect(Date.parse(held[0]?.since ?? '')).toBeGreaterThan(before);
    await a.release();
    expect((await two.claims.survey(plan)).held).toEqual([]);
  });

  it('gives the turn to one at a time; who does not want to wait any more does not get it', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    const signal = new AbortController().signal;
    const turn = await one.claims.turn(plan, signal);
    await turn?.assertHeld();
    const impatient = AbortSignal.timeout(100);
    expect(await two.claims.turn(plan, impatient)).toBeUndefined();
    const next = two.claims.turn(plan, signal);
    const own = one.claims.turn(plan, AbortSignal.timeout(100));
    expect(await own).toBeUndefined();
    await turn?.release();
    expect(await next).toBeDefined();
    await expect(turn?.assertHeld()).rejects.toThrow(ClaimLost);
  });

  it('hears at once that something changed, even when nobody listened, and else waits', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    const { signal } = new AbortController();
    const begin = performance.now();
    const heard = one.claims.changed(25_000, signal);
    await two.claims.tell(plan);
    await heard;
    await two.claims.tell(plan);
    await sleep(100);
    await one.claims.changed(25_000, signal);
    expect(performance.now() - begin).toBeLessThan(20_000);
    const quiet = performance.now();
    await one.claims.tell(plan);
    await one.claims.changed(200, signal);
    expect(performance.now() - quiet).toBeGreaterThan(140);
    await one.claims.changed(60_000, AbortSignal.timeout(20));
  });

  it('lets one do what a key stands for, until its process ends', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    expect(await one.claims.once(plan, 'KEY')).toBeUndefined();
    expect(await one.claims.once(plan, 'KEY')).toBeUndefined();
    expect(await two.claims.once(plan, 'KEY')).toEqual({ heldBy: worker('r1') });
    expect(await two.claims.once(plan, 'another')).toBeUndefined();
    await one.close();
    await expect.poll(async () => two.claims.once(plan, 'KEY'), patient).toBeUndefined();
  });

  it('writes about a task that nobody has claimed, and not about one that another has', async () => {
    const [one, two] = [await join('r1'), await join('r2')];
    await write(two, 'a', { type: 'notice', message: 'of a task that nobody has' });
    const a = await claim(one, ['a']);
    const late = write(two, 'a', { type: 'notice', message: 'late' });
    await sleep(150);
    await a.release();
    await late;
    await claim(one, ['a']);
    await expect(write(two, 'a', failed)).rejects.toThrow(StaleWrite);
    await write(one, 'a', begun);
  });

  it('writes only by the session that has claimed the task last', async () => {
    const one = await join('r1');
    await claim(one, ['a']);
    await ask(`update skeleton.task set owner_pid = 1 where id = 'a'`);
    await expect(write(one, 'a', begun)).rejects.toThrow(ClaimLost);
    expect(await one.ledger.taskHistory(plan, 'a')).toEqual([]);
  });

  it('looks again once it has the lock: a task may have passed meanwhile', async () => {
    const one = await join('r1');
    const client = await connect();
    const { rows } = await client.query<{ no: number }>(
      'select no from skeleton.plan where project = $1',
      [project],
    );
    const on: Connection = {
      ...{ backend: { pid: 0, start: '' }, destroy: () => undefined, end: async () => undefined },
      query: async (sql, values = []) => {
        if (sql.includes('set owner = $2'))
          await ask(
            `update skeleton.task as t set phase = 'passed', campaign = p.campaign
            from skeleton.plan as p where p.no = t.plan and t.id = 'a'`,
          );
        return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
      },
    };
    const held = heldLocks({ watch: () => undefined } as unknown as Session);
    const wish = { owner: '{}', held, isFresh: () => false, among: ['a'] };
    expect(await claimFirst(on, { ...wish, plan: rows[0]?.no ?? 0 })).toBeUndefined();
    const left = `select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`;
    expect((await client.query(left)).rowCount).toBe(0);
    expect(await one.claims.claim(plan, ['a'])).toBeUndefined();
    await client.end();
  });

  it.each<[string, readonly Event[], Event]>([
    ['a checkpoint without gates', [begun, agentFinished], checkpoint],
    ['a second beginning', [begun], begun],
    ['a rollback of what passed', [begun, agentFinished, gatesPassed, checkpoint], rolledBack],
    ['a beginning after a pass', [begun, agentFinished, gatesPassed, checkpoint], begun],
    ['an end of what never began', [], agentFinished],
  ])('takes no impossible history: %s', async (_, before, event) => {
    const one = await join('r1');
    await claim(one, ['a']);
    await write(one, 'a', ...before);
    await expect(write(one, 'a', event)).rejects.toThrow(/cannot follow/);
    expect(await one.ledger.taskHistory(plan, 'a')).toHaveLength(before.length);
  });

  it('begins on ten thousand tasks quickly', async () => {
    const tasks = Array.from({ length: 10_000 }, (_, nth) => `task-${nth}`);
    const begin = performance.now();
    const one = await join('r1', tasks);
    const two = await join('r2', tasks);
    for (let nth = 0; nth < 20; nth += 1) await claim(nth % 2 ? one : two, tasks);
    // A question for each of them would take longer than that.
    expect(performance.now() - begin).toBeLessThan(15_000);
  });
});
