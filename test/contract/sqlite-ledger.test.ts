import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { LedgerDamaged } from '../../src/ports.ts';
import { migrations as steps } from '../../src/ledger/migrations.ts';
import type * as Migrations from '../../src/ledger/migrations.ts';
import { loadSqlite, scalar, type SqliteDatabase } from '../../src/ledger/sqlite.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import type { Ledger } from '../../src/ports.ts';
import { recordedEvents } from '../support/recorded-run.ts';
import { compileSources } from '../support/compiled-sources.ts';

describe('the file of a SQLite ledger', () => {
  let compiled: string;
  let top: string;
  let folder: string;
  let path: string;
  const opened: Ledger[] = [];

  beforeAll(async () => {
    compiled = await compileSources(['src/ledger/sqlite-ledger.ts']);
  });

  afterAll(() => rmSync(compiled, { recursive: true }));

  beforeEach(() => {
    // What a URL would read as something else must be text in a path.
    top = mkdtempSync(join(tmpdir(), 'sqlite 100%41 #? ledger '));
    folder = join(top, 'skeleton');
    path = join(folder, 'ledger.db');
  });

  afterEach(async () => {
    for (const ledger of opened.splice(0)) await ledger.close();
    rmSync(top, { recursive: true });
  });

  async function open(readOnly = false): Promise<Ledger> {
    const ledger = await openSqliteLedger(path, { readOnly });
    opened.push(ledger);
    return ledger;
  }

  async function append(ledger: Ledger, ...messages: string[]): Promise<void> {
    await ledger.addPlan('demo', 'PLAN.md');
    let { length: seq } = await ledger.taskHistory('demo', 'a');
    for (const message of messages) {
      const event: Event = { type: 'notice', message };
      ({ seq } = await ledger.append({ run: 'r', plan: 'demo', task: 'a', event }, seq));
    }
  }

  async function write(...messages: string[]): Promise<void> {
    const ledger = await openSqliteLedger(path);
    await append(ledger, ...messages);
    await ledger.close();
  }

  async function count(ledger: Ledger): Promise<number> {
    return (await ledger.history('demo')).length;
  }

  /** By hand, as no ledger would. */
  async function alter(change: (db: SqliteDatabase) => void): Promise<void> {
    const db = (await loadSqlite()).open(path, { readOnly: false });
    change(db);
    db.exec('pragma wal_checkpoint(truncate)');
    db.close();
  }

  it('is a WAL database that only the user may read', async () => {
    await append(await open(), 'x');
    const files = readdirSync(folder).sort();
    expect(files).toEqual(['ledger.db', 'ledger.db-shm', 'ledger.db-wal']);
    const modes = files.map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is made once, whole, however many begin at one instant', async () => {
    const ledgers = await Promise.all(Array.from({ length: 5 }, async () => open()));
    const numbers = await Promise.all(ledgers.map(async (one) => one.takeNumber('demo', 0)));
    expect(numbers.sort()).toEqual([1, 2, 3, 4, 5]);
    expect(readdirSync(folder).filter((name) => !/^ledger\.db(-|$)/.test(name))).toEqual([]);
  });

  describe('opened for reading only', () => {
    it('reads as empty where there is none, makes nothing, and sees it once it is there', async () => {
      const reader = await open(true);
      expect([await count(reader), await reader.runs()]).toEqual([0, []]);
      expect(existsSync(folder)).toBe(false);
      await write('x');
      expect(await count(reader)).toBe(1);
    });

    it('makes no file beside a ledger that nobody writes', async () => {
      const writer = join(import.meta.dirname, 'fixtures', 'append-some.mjs');
      spawnSync(process.execPath, [writer, compiled, path, '2'], { stdio: 'inherit' });
      expect(readdirSync(folder)).toEqual(['ledger.db']);
      expect(await count(await open(true))).toBe(2);
      expect(readdirSync(folder)).toEqual(['ledger.db']);
    });

    it('follows writers that come, write and go', async () => {
      await write('x');
      const reader = await open(true);
      for (let known = 1; known < 4; known += 1) {
        expect(await count(reader)).toBe(known);
        await write('y');
      }
      await append(await open(), 'z');
      expect(await count(reader)).toBe(5);
    });

    it('neither waits for a writer nor holds one up', async () => {
      await write('x');
      const writer = await open();
      const reader = await open(true);
      await append(writer, 'y');
      const busy = (await loadSqlite()).open(path, { readOnly: false });
      busy.exec('begin immediate');
      const before = performance.now();
      expect(await count(reader)).toBe(2);
      expect(performance.now() - before).toBeLessThan(1000);
      busy.exec('rollback');
      busy.close();
      await append(writer, 'z');
      expect(await count(reader)).toBe(3);
    });

    it('refuses to write', async () => {
      await write('x');
      const reader = await open(true);
      await expect(reader.takeNumber('demo', 0)).rejects.toThrow(/for reading only/);
      await expect(reader.addPlan('other', 'P.md')).rejects.toThrow(/for reading only/);
    });
  });

  describe('that is damaged is called that, and left as it is:', () => {
    async function expectDamaged(reason: RegExp): Promise<void> {
      const before = readFileSync(path);
      for (const readOnly of [false, true]) {
        const history = open(readOnly).then(async (ledger) => ledger.history('demo'));
        const error: unknown = await history.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(LedgerDamaged);
        expect(error).toMatchObject({ path, status: 3, reason: matching(reason) });
      }
      expect(readFileSync(path).equals(before)).toBe(true);
    }

    beforeEach(async () => {
      await write(...Array.from({ length: 200 }, (_, at) => `${at} ${'x'.repeat(500)}`));
    });

    it('an empty file', async () => {
      truncateSync(path, 0);
      await expectDamaged(/empty/);
    });

    it.each([100, 4096, 4097, 40_000])('the first %i bytes of it', async (size) => {
      truncateSync(path, size);
      await expectDamaged(/malformed|not a database|error code 11/);
    });

    it('nothing but zeros', async () => {
      writeFileSync(path, Buffer.alloc(statSync(path).size));
      await expectDamaged(/not a database/);
    });

    it('another kind of file', async () => {
      writeFileSync(path, 'Dear diary\n'.repeat(1000));
      await expectDamaged(/not a database/);
    });

    it('half a page of zeros in the middle', async () => {
      const bytes = readFileSync(path);
      bytes.fill(0, 4096 * 12, 4096 * 12 + 2048);
      writeFileSync(path, bytes);
      await expectDamaged(/malformed|error code 11/);
    });

    it('a database that is no ledger', async () => {
      rmSync(path);
      await alter((db) => db.exec('create table other (a)'));
      await expectDamaged(/not a ledger/);
    });

    it.each([
      ["body = '{'", /event 7 of demo, a is no JSON object/],
      ["body = '[]'", /event 7 of demo, a is no JSON object/],
      [`body = '{"type":"notice"}'`, /event 7 of demo, a .*'message'/],
      ["type = 'surprise'", /event 7 of demo, a .*'surprise'/],
      ["type = 'toString'", /event 7 of demo, a .*'toString'/],
      ["type = 'wait.over'", /event 7 of demo, a .*'wait.over'/],
      ["type = 'run.started'", /event 7 of demo, a .*'run.started'/],
    ])('a row that was set to %s', async (set, reason) => {
      await alter((db) => db.exec(`update event set ${set} where seq = 7`));
      await expectDamaged(reason);
    });
  });

  it('that is gone while its -wal is there is not begun anew', async () => {
    await write('x');
    rmSync(path);
    writeFileSync(`${path}-wal`, 'pages of the old one');
    await expect(open()).rejects.toThrow(LedgerDamaged);
    await expect(open(true)).rejects.toThrow(LedgerDamaged);
    expect(readdirSync(folder)).not.toContain('ledger.db');
  });

  it.each(['deleted', 'replaced'])('that is %s in use takes no more writes', async (how) => {
    const ledger = await open();
    await append(ledger, 'x');
    copyFileSync(path, `${path}.copy`);
    rmSync(path);
    if (how === 'replaced') copyFileSync(`${path}.copy`, path);
    await expect(append(ledger, 'y')).rejects.toMatchObject({ name: 'Refusal', status: 4 });
  });

  describe('that holds what a history folds to', () => {
    const counts = { passed: 0, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending: 1 };
    const end: Event = { type: 'run.finished', status: 0, counts };

    async function writeRun(why: string): Promise<void> {
      const ledger = await openSqliteLedger(path);
      await append(ledger, 'x');
      const stopped: Event = { type: 'task.finished', state: 'stopped', why };
      await ledger.append({ run: 'r', plan: 'demo', task: 'a', event: stopped }, 1);
      await ledger.append({ run: 'r', plan: 'demo', task: '', event: end }, 0);
      await ledger.close();
    }

    async function whyOf(): Promise<string | undefined> {
      const ledger = await open(true);
      return new Map((await ledger.past('demo')).tasks).get('a')?.why;
    }

    it('reads that, and not the events that it stands for', async () => {
      await writeRun('tired');
      await alter((db) => db.exec("update event set body = replace(body, 'tired', 'awake')"));
      expect(await whyOf()).toBe('tired');
    });

    it.each([
      ['an event that has grown', "update event set body = replace(body, 'awake', 'wide awake')"],
      ['an event that is gone', "delete from event where type = 'notice'"],
      ['an event more', INSERTED],
      ['another text', "update digest set body = replace(body, 'tired', 'lying')"],
      ['another form', 'update digest set form = form + 1'],
      ['no text', "update digest set body = ''"],
      ['nothing', 'delete from digest'],
    ])('reads the events themselves where it finds %s', async (_, change) => {
      await writeRun('tired');
      await alter((db) => {
        db.exec("update event set body = replace(body, 'tired', 'awake')");
        db.exec(change);
      });
      expect(await whyOf()).toMatch(/^(wide )?awake$/);
    });

    it('says in what form it keeps that', async () => {
      const ledger = await open();
      const entries = recordedEvents;
      await ledger.restore({ slug: 'demo', path: 'PLAN.md' }, { entries, highest: 0 });
      await alter((db) => {
        const row = db.prepare('select form, sum from digest').get();
        // Where the sum changes and the recorded run has not, the fold has: FORM in src/ledger/digest.ts goes up with it.
        expect({ ...(row as object) }).toEqual({ form: 2, sum: 3195039462 });
      });
    });

    it('is told as damaged where the events must be read and cannot', async () => {
      await writeRun('tired');
      await alter((db) => db.exec("update event set body = '{' where task = 'a'"));
      await expect(whyOf()).rejects.toThrow(/damaged: event 1 of demo, a/);
    });

    it('takes the end of a run, whatever stands beside it', async () => {
      await writeRun('tired');
      await alter((db) => db.exec("update event set body = '{' where task = 'a'"));
      const ledger = await open();
      await ledger.append({ run: 's', plan: 'demo', task: '', event: end }, 1);
      await alter((db) => {
        expect(scalar(db, "select count(*) from event where type = 'run.finished'")).toBe(2);
      });
    });
  });

  it('of a newer schema is refused, with its version', async () => {
    await write('x');
    await alter((db) => db.exec('pragma user_version = 99'));
    const refused = { status: 3, message: matching(/schema 99.* above \d+$/) };
    await expect(open()).rejects.toMatchObject(refused);
    await expect(open(true)).rejects.toMatchObject(refused);
  });

  it('of an older schema is brought up to date by a writer, with all that is in it', async () => {
    await write('x');
    vi.resetModules();
    vi.doMock('../../src/ledger/migrations.ts', async (original) => {
      const { migrations, upgradeFrom } = await original<typeof Migrations>();
      const more = [...migrations, 'create table later (a text) strict', ''];
      return { migrations: more, upgradeFrom: (version: number) => upgradeFrom(version, more) };
    });
    const { openSqliteLedger: openLater } = await import('../../src/ledger/sqlite-ledger.ts');
    vi.doUnmock('../../src/ledger/migrations.ts');
    await expect(openLater(path, { readOnly: true })).rejects.toMatchObject({ status: 3 });
    const later = await openLater(path);
    opened.push(later);
    await append(later, 'y');
    expect(await count(later)).toBe(2);
    await alter((db) => {
      expect(scalar(db, 'pragma user_version')).toBe(steps.length + 2);
      expect(scalar(db, 'select count(*) from later')).toBe(0);
    });
  });
});

const INSERTED = `insert into event (plan, task, seq, run, at, type, body)
  select plan, 'b', 1, run, at, type, body from event where type = 'notice'`;

function matching(pattern: RegExp): string {
  return expect.stringMatching(pattern) as string;
}
