import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { explainError } from '../../cli/explain-error.ts';
import { runProgram } from '../../cli/program.ts';
import type { Recorded } from '../../src/core/events.ts';
import { pastOf, withoutGates } from '../../src/core/plan-past.ts';
import { openLocks } from '../../src/ledger/locks.ts';
import { openPostgresLedger } from '../../src/ledger/postgres/open-postgres.ts';
import { openPostgresStore } from '../../src/ledger/postgres/postgres-store.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { loadSqlite, scalar } from '../../src/ledger/sqlite.ts';
import { StaleWrite } from '../../src/ports.ts';
import { fakeIo } from '../support/fake-io.ts';
import { openPostgresLab, type PostgresLab } from '../support/postgres-lab.ts';
import { recordedEvents } from '../support/recorded-run.ts';

let lab: PostgresLab;
let folder: string;
let shared: string;

beforeAll(async () => {
  lab = await openPostgresLab();
});
afterAll(async () => lab.close());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'a copied ledger '));
  shared = await lab.database();
  const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  git('commit', '--quiet', '--allow-empty', '--message=first');
});
afterEach(() => rmSync(folder, { recursive: true }));

function ledgerPath(): string {
  return join(folder, '.git', 'skeleton', 'ledger.db');
}

async function say(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  const io = fakeIo({ argv: ['ledger', 'copy', ...args], cwd: folder, env });
  try {
    const status = await runProgram(io, '1.2.3');
    return { status, stdout: io.stdout(), stderr: io.stderr() };
  } catch (error) {
    const { status, text } = explainError(error, '1.2.3');
    return { status, stdout: io.stdout(), stderr: text };
  }
}

/** Into this repository's own ledger, of a new plan. */
async function write(slug: string, events: readonly Recorded[], highest = 3): Promise<void> {
  const ledger = await openSqliteLedger(ledgerPath());
  await ledger.restore({ slug, path: `${slug}.md` }, { entries: events, highest });
  await ledger.rememberVerdict('tree', `gates of ${slug}`, 'pass');
  await ledger.close();
}

async function own(): Promise<unknown> {
  const ledger = await openSqliteLedger(ledgerPath(), { readOnly: true });
  const plans = [...(await ledger.plans())];
  const told = await Promise.all(
    plans.map(async ([slug]) => ({
      history: await ledger.history(slug),
      highest: await ledger.highestNumber(slug),
      verdict: await ledger.verdict('tree', `gates of ${slug}`),
    })),
  );
  const runs = await ledger.runs();
  await ledger.close();
  return { plans, told, runs };
}

async function inPostgres(url = shared): Promise<unknown> {
  const store = await openPostgresStore(url, {
    project: async () => project(),
    readOnly: true,
  });
  const contents = await store.read();
  await store.close();
  return contents;
}

/** Of the first commit, as each clone of this repository tells it. */
function project(): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
}

async function ask(sql: string): Promise<unknown> {
  const client = new Client({ connectionString: shared });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}

describe('skeleton ledger copy', () => {
  test('carries everything there and back, event by event, time by time', async () => {
    await write('demo', recordedEvents);
    await write("o'ther ünï", recordedEvents.slice(0, 9), 0);
    const before = await own();
    const there = await say(['local', shared]);
    expect([there.status, there.stderr]).toEqual([0, '']);
    expect(there.stdout).toContain(`demo: ${recordedEvents.length} events copied\n`);
    rmSync(join(folder, '.git', 'skeleton'), { recursive: true });
    const back = await say([shared, 'sqlite', '--json']);
    expect([back.status, back.stderr]).toEqual([0, '']);
    expect(JSON.parse(back.stdout)).toMatchObject({
      plans: [
        { plan: 'demo', copied: recordedEvents.length, there: 0 },
        { plan: "o'ther ünï", copied: 9, there: 0 },
      ],
      verdicts: 2,
    });
    expect(await own()).toEqual(before);
    const said = there.stdout + back.stdout;
    expect(said).not.toContain(new URL(shared).password);
  });

  test('does nothing where it is there already, and only the rest where it has begun', async () => {
    for (const end of [5, 20, recordedEvents.length, recordedEvents.length]) {
      rmSync(join(folder, '.git', 'skeleton'), { recursive: true, force: true });
      await write('demo', recordedEvents.slice(0, end));
      expect((await say(['local', shared])).stderr).toBe('');
      expect(await inPostgres()).toMatchObject({
        events: recordedEvents.slice(0, end).map((event) => ({ ...event, plan: 'demo' })),
      });
    }
    expect((await say(['local', shared])).stdout).toContain(
      `demo: nothing to do; ${recordedEvents.length} events are there already`,
    );
  });

  test('leaves tasks where they are in their lives', async () => {
    await write('demo', recordedEvents.slice(0, 7));
    await say(['local', shared]);
    const rows = `select id, head, phase, outcome, owner from skeleton.task order by id`;
    expect(await ask(rows)).toEqual([
      { id: '', head: 2, phase: 'open', outcome: null, owner: null },
      { id: 'split', head: 5, phase: 'gating', outcome: null, owner: null },
    ]);
    rmSync(join(folder, '.git', 'skeleton'), { recursive: true });
    await write('demo', recordedEvents);
    await say(['local', shared]);
    expect(await ask(rows)).toMatchObject([
      { id: '', head: 3 },
      { id: 'hostile', phase: 'open', outcome: 'failed' },
      { id: 'join', head: 1, phase: 'open', outcome: 'blocked' },
      { id: 'split', phase: 'passed', outcome: 'passed' },
    ]);
  });

  test('is what a run goes on from, on another machine and back here', async () => {
    await write('demo', recordedEvents.slice(0, 7));
    await say(['local', shared]);
    const ledger = await openPostgresLedger(shared, { project: project() });
    try {
      expect(await ledger.past('demo')).toEqual(withoutGates(pastOf(await ledger.history('demo'))));
      const entry = { run: 'run-2', plan: 'demo', task: 'split' };
      const failure = { kind: 'crashed' } as const;
      await ledger.append({ ...entry, event: { type: 'attempt.rejected', failure } }, 5);
      const late = ledger.append({ ...entry, event: { type: 'wait.over' } }, 5);
      await expect(late).rejects.toThrow(StaleWrite);
      expect(await ledger.takeNumber('demo', 0)).toBe(4);
    } finally {
      await ledger.close();
    }
    expect((await say([shared, 'local'])).stdout).toContain('demo: 1 event copied; 7 events are');
    const mine = await openSqliteLedger(ledgerPath());
    expect((await mine.history('demo')).at(-1)).toMatchObject({ seq: 6, run: 'run-2' });
    expect(await mine.takeNumber('demo', 0)).toBe(5);
    await mine.close();
  });

  test.each([
    [
      'another history',
      (events: readonly Recorded[]) => events.toSpliced(3, 2),
      /do not tell the same/,
    ],
    ['more than it gets', (events: readonly Recorded[]) => events.slice(0, -2), /is ahead/],
  ])('is refused by a ledger with %s, all of it', async (_, change, words) => {
    await write('demo', recordedEvents);
    expect((await say(['local', shared])).status).toBe(0);
    const before = await inPostgres();
    rmSync(join(folder, '.git', 'skeleton'), { recursive: true });
    await write('also', recordedEvents);
    await write('demo', change(recordedEvents), 99);
    const { status, stderr } = await say(['local', shared]);
    expect([status, stderr]).toEqual([3, expect.stringMatching(words)]);
    expect(stderr).toContain('nothing was copied');
    expect(await inPostgres()).toEqual(before);
    const there = await own();
    expect((await say([shared, 'local'])).status).toBe(_ === 'another history' ? 3 : 0);
    if (_ === 'another history') expect(await own()).toEqual(there);
  });

  test('makes a digest that the local ledger reads its past by', async () => {
    await write('demo', recordedEvents);
    await say(['local', shared]);
    rmSync(join(folder, '.git', 'skeleton'), { recursive: true });
    await write('demo', recordedEvents.slice(0, 12));
    await say([shared, 'local']);
    const db = (await loadSqlite()).open(ledgerPath(), { readOnly: true });
    const body = JSON.parse(String(scalar(db, 'select body from digest'))) as { upTo: number };
    db.close();
    expect(body.upTo).toBe(recordedEvents.length);
    const ledger = await openSqliteLedger(ledgerPath(), { readOnly: true });
    expect(await ledger.past('demo')).toEqual(withoutGates(pastOf(await ledger.history('demo'))));
    await ledger.close();
  });

  test('is refused while a run holds the plan, here or there', async () => {
    await write('demo', recordedEvents);
    const locks = await openLocks(join(folder, '.git', 'skeleton', 'locks'));
    const lock = locks.acquire('plan-demo', 'a run');
    const here = await say(['local', shared]);
    expect([here.status, here.stderr]).toEqual([3, expect.stringContaining('a run is at work on')]);
    if (!('heldBy' in lock)) lock.release();
    expect((await say(['local', shared])).status).toBe(0);
    const worker = new Client({ connectionString: shared });
    await worker.connect();
    await worker.query(
      `select pg_advisory_lock_shared('skeleton.event'::regclass::oid::int4, no) from skeleton.plan`,
    );
    for (const direction of [
      ['local', shared],
      [shared, 'local'],
    ]) {
      const { status, stderr } = await say(direction);
      expect([status, stderr]).toEqual([3, expect.stringContaining('a run is at work on')]);
      expect(stderr).not.toContain(new URL(shared).password);
    }
    await worker.end();
    expect((await say([shared, 'local'])).status).toBe(0);
  });

  test('keeps repositories that share a database apart', async () => {
    await write('demo', recordedEvents);
    await say(['local', shared]);
    await say(['local', `${shared}?project=other`]);
    execFileSync('git', ['commit', '-q', '--amend', '--allow-empty', '-m', 'another'], {
      cwd: folder,
    });
    const { status, stderr } = await say([shared, 'local']);
    expect([status, stderr]).toEqual([3, expect.stringContaining('holds no history of this')]);
    const named = await say([`${shared}?project=other`, 'local']);
    expect([named.status, named.stdout]).toEqual([0, expect.stringContaining('nothing to do')]);
  });

  test('takes the shared one by its name, and refuses what is no ledger, without repeating it', async () => {
    await write('demo', recordedEvents);
    const env = { ...process.env, SKELETON_LEDGER: shared };
    expect((await say(['local', 'shared'], env)).status).toBe(0);
    expect((await inPostgres()) as object).toMatchObject({ plans: [{ slug: 'demo', highest: 3 }] });
    expect((await say(['local', 'shared'])).status).toBe(2);
    expect((await say(['local', 'local'])).status).toBe(2);
    expect((await say(['local'])).status).toBe(2);
    const wrong = await say(['local', 'mysql://me:pa55word@host/db']);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.not.stringContaining('pa55word')]);
    const nothing = await say([join(folder, 'none.db'), 'local']);
    expect([nothing.status, existsSync(join(folder, 'none.db'))]).toEqual([3, false]);
  });

  test('refuses a file that is no ledger, and one of another repository: nobody passes by that', async () => {
    const junk = join(folder, 'junk.db');
    writeFileSync(junk, 'no ledger at all');
    for (const path of [junk, folder]) {
      const { status, stderr } = await say([path, 'local']);
      expect([status, stderr]).toEqual([3, expect.stringContaining('nothing was copied')]);
      expect(stderr).not.toContain('skeleton run');
    }
    await write('demo', recordedEvents);
    const foreign = join(folder, 'foreign.db');
    renameSync(ledgerPath(), foreign);
    const { status, stderr } = await say([foreign, 'local']);
    expect([status, stderr]).toEqual([3, expect.stringContaining('not in this repository')]);
    expect(existsSync(ledgerPath())).toBe(false);
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' });
    rmSync(foreign);
    const ours = JSON.stringify(recordedEvents).replaceAll(
      /"(base|commit)":"[^"]*"/g,
      `"$1":"${head.trim()}"`,
    );
    await write('demo', JSON.parse(ours) as readonly Recorded[]);
    renameSync(ledgerPath(), foreign);
    expect((await say([foreign, 'local'])).status).toBe(0);
  });
});
