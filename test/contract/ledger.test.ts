import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Event, Recorded } from '../../src/core/events.ts';
import { pastOf, withoutGates, type PlanPast } from '../../src/core/plan-past.ts';
import { StaleWrite, type Ledger } from '../../src/ports.ts';
import { openPostgresLedger } from '../../src/ledger/postgres/open-postgres.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { openPostgresLab, type PostgresLab } from '../support/postgres-lab.ts';
import { recordedEvents } from '../support/recorded-run.ts';
import {
  agentFinished,
  attemptStarted,
  before,
  counts,
  gate,
  rolledBack,
  runStarted,
  samples,
  snapshot,
  voided,
} from '../support/sample-events.ts';

/** One place that keeps a ledger, new and empty. */
interface Store {
  /** As another process would: what one of these has appended, all of them see. */
  open(): Promise<Ledger>;
  /** What the time of an event written now is equal to. */
  readonly now: unknown;
  remove(): Promise<void>;
}

/** Where the recorded run is cut off; NIGHTLY after each of its events. */
const ends = [...recordedEvents.keys()].filter(
  (end) => process.env['NIGHTLY'] !== undefined || (recordedEvents.length - 1 - end) % 4 === 0,
);
/** A whole attempt that passes. */
function passing(commit: string): readonly Event[] {
  const created: Event = { type: 'checkpoint.created', tag: 'tag', commit };
  return [attemptStarted(), agentFinished, ...samples['gates.passed'], created];
}

function notice(message: string): Event {
  return { type: 'notice', message };
}

function folded(history: readonly Recorded[]): PlanPast {
  return withoutGates(pastOf(history));
}

/** What any ledger must keep. A second backend is one more call of this. */
function ledgerContract(backend: string, makeStore: () => Promise<Store>): void {
  describe(`the ledger in ${backend}`, () => {
    let store: Store;
    let ledger: Ledger;
    let second: Ledger;
    const opened: Ledger[] = [];

    async function open(): Promise<Ledger> {
      const one = await store.open();
      opened.push(one);
      return one;
    }

    /** Appends one after the other; gives the last. */
    async function append(task: string, ...events: Event[]): Promise<number> {
      let seq = (await ledger.taskHistory('demo', task)).length;
      if (task === '')
        seq = (await ledger.history('demo')).filter((recorded) => recorded.task === '').length;
      for (const event of events)
        ({ seq } = await ledger.append({ run: 'r1', plan: 'demo', task, event }, seq));
      return seq;
    }

    beforeEach(async () => {
      store = await makeStore();
      ledger = await open();
      second = await open();
      await ledger.addPlan('demo', 'PLAN.md');
    });

    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
      await store.remove();
    });

    it('keeps what people write to a run, whoever reads it, until that is taken out', async () => {
      const at = '2026-01-01T00:00:00.000Z';
      const notes = (['pause', 'tell', 'skip'] as const).map((kind, nth): Note => {
        return {
          id: `n${3 - nth}`,
          at,
          kind,
          task: nth === 0 ? '' : 'a',
          text: '„x“\n',
          by: 'a@b',
        };
      });
      const [pause, told, skipped] = notes;
      for (const note of notes) await ledger.post('demo', note);
      await second.post('other', { ...notes[1], id: 'n9' } as Note);
      expect(await second.inbox('demo')).toEqual([pause, told, skipped]);
      await second.take('demo', ['n2', 'n9', 'unknown']);
      await second.take('demo', []);
      expect(await ledger.inbox('demo')).toEqual([pause, skipped]);
      expect(await ledger.inbox('other')).toHaveLength(1);
      await second.take('demo', ['n2']);
      // One whose answer was lost is posted again: it was told, and is not told twice.
      for (const note of notes) await ledger.post('demo', { ...note, text: 'again' });
      expect(await (await open()).inbox('demo')).toEqual([pause, skipped]);
    });

    it('gives back what was appended, in order of writing, to whoever opens it', async () => {
      await append('', runStarted('base'));
      await append('b', notice('1'));
      await append('a', notice('2'));
      const last = await second.append(
        { run: 'r2', plan: 'demo', task: 'b', event: notice('3') },
        1,
      );
      expect(last).toEqual({
        run: 'r2',
        at: store.now,
        plan: 'demo',
        task: 'b',
        seq: 2,
        event: notice('3'),
      });
      const history = await (await open()).history('demo');
      expect(history.map(({ task, seq }) => [task, seq])).toEqual([
        ['', 1],
        ['b', 1],
        ['a', 1],
        ['b', 2],
      ]);
      expect(history.at(-1)).toEqual(last);
      expect(await second.taskHistory('demo', 'b')).toEqual([history[1], history[3]]);
      expect(await ledger.history('other')).toEqual([]);
      expect(await ledger.taskHistory('demo', 'none')).toEqual([]);
    });

    it.each(Object.entries(samples))('keeps every field of %s', async (type, events) => {
      const isOfRun = /^(?:run|plan|baseline)\./.test(type);
      for (const [index, event] of events.entries()) {
        const task = isOfRun ? '' : `task-${index}`;
        await append(task, ...(before[event.type] ?? []), event);
        const history = await second.taskHistory('demo', task);
        expect(history.at(-1)?.event).toStrictEqual(event);
        expect((await second.history('demo')).at(-1)).toStrictEqual(history.at(-1));
      }
    });

    it('keeps names of tasks and plans apart, whatever is in them', async () => {
      const names = ['A', 'a', 'a ', "o'brien", 'ä', 'a\u0308', '日本', '%', '_', 'a"; --'];
      for (const name of names) {
        await ledger.addPlan(name, `${name}/PLAN.md`);
        await ledger.append({ run: 'r', plan: name, task: name, event: notice(name) }, 0);
      }
      for (const name of names) {
        const history = await second.taskHistory(name, name);
        expect(history.map(({ event }) => event)).toEqual([notice(name)]);
      }
      expect((await second.plans()).get("o'brien")).toBe("o'brien/PLAN.md");
    });

    it('refuses a write that does not continue where the task ends, and keeps nothing of it', async () => {
      await append('a', notice('1'), notice('2'));
      for (const expected of [0, 1, 3]) {
        const late = second.append(
          { run: 'r2', plan: 'demo', task: 'a', event: notice('late') },
          expected,
        );
        await expect(late).rejects.toThrow(StaleWrite);
      }
      expect(await ledger.history('demo')).toHaveLength(2);
      expect(await append('a', notice('3'))).toBe(3);
    });

    it('lets one of two writers through that append at once', async () => {
      const entry = { run: 'r', plan: 'demo', task: 'a', event: notice('x') };
      for (let seq = 0; seq < 20; seq += 1) {
        const results = await Promise.allSettled(
          [ledger, second].map(async (one) => one.append(entry, seq)),
        );
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      }
      expect(await ledger.taskHistory('demo', 'a')).toHaveLength(20);
    });

    it('writes what is of runs as a whole after whatever is there, whoever wrote it', async () => {
      const add = async (one: Ledger, run: string): Promise<number> => {
        const entry = { run, plan: 'demo', task: '', event: notice(run) };
        return (await one.append(entry, undefined)).seq;
      };
      const seqs = await Promise.all(
        Array.from({ length: 20 }, async (_, nth) => add(nth % 2 ? ledger : second, `r${nth}`)),
      );
      expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 1));
    });

    it.each<[string, string, Event]>([
      ['a number that JSON has not', 'a', { type: 'gate.finished', ...gate, seconds: NaN }],
      ['a negative time', 'a', { type: 'gate.finished', ...gate, seconds: -1 }],
      ['an event of the run under a task', 'a', runStarted('base')],
    ])('refuses %s, which could not be read back', async (_, task, event) => {
      const entry = { run: 'r', plan: 'demo', task, event };
      await expect(ledger.append(entry, 0)).rejects.toThrow(/not recorded: event 1 of demo, a/);
      expect(await ledger.history('demo')).toEqual([]);
    });

    it('binds a plan to its path once', async () => {
      await second.addPlan('demo', 'PLAN.md');
      await second.addPlan('plan-1a2b3c', 'docs/PLAN.md');
      await expect(second.addPlan('demo', 'docs/PLAN.md')).rejects.toThrow(/demo.*PLAN\.md/);
      expect([...(await ledger.plans())]).toEqual([
        ['demo', 'PLAN.md'],
        ['plan-1a2b3c', 'docs/PLAN.md'],
      ]);
      const unbound = { run: 'r', plan: 'unbound', task: 'a', event: notice('') };
      await expect(ledger.append(unbound, 0)).rejects.toThrow();
    });

    it('lists runs, newest first, finished or not', async () => {
      await ledger.addPlan('other', 'other/PLAN.md');
      const start = async (run: string, plan: string, seq: number): Promise<unknown> =>
        ledger.append({ run, plan, task: '', event: runStarted('b') }, seq);
      await start('r1', 'demo', 0);
      await start('r2', 'other', 0);
      const event: Event = { type: 'run.finished', status: 1, counts };
      await ledger.append({ run: 'r1', plan: 'demo', task: '', event }, 1);
      await start('r3', 'demo', 2);
      const runs = await second.runs();
      expect(runs.map(({ run, status }) => [run, status])).toEqual([
        ['r3', undefined],
        ['r2', undefined],
        ['r1', 1],
      ]);
      expect((await second.runs('demo')).at(-1)).toEqual({
        run: 'r1',
        plan: 'demo',
        planPath: 'PLAN.md',
        startedAt: store.now,
        finishedAt: store.now,
        status: 1,
      });
      expect(runs[1]?.planPath).toBe('other/PLAN.md');
      expect(await second.runs('none')).toEqual([]);
    });

    it('gives the events of one run of a plan', async () => {
      await ledger.addPlan('other', 'other/PLAN.md');
      const add = (run: string, plan: string, seq: number, message: string): Promise<Recorded> =>
        ledger.append({ run, plan, task: 'a', event: notice(message) }, seq);
      await add('r1', 'demo', 0, '1');
      await add('r2', 'demo', 1, '2');
      await add('r1', 'other', 0, '3');
      await add('r1', 'demo', 2, '4');
      const told = async (plan: string, run: string): Promise<unknown> =>
        (await second.ofRun(plan, run)).map(({ event }) => event);
      expect(await told('demo', 'r1')).toEqual([notice('1'), notice('4')]);
      expect(await told('other', 'r1')).toEqual([notice('3')]);
      expect(await told('demo', 'r3')).toEqual([]);
    });

    it('folds a history as it is, wherever it was folded before and wherever it ends', async () => {
      const more: readonly (readonly [task: string, event: Event])[] = [
        ['', runStarted('base')],
        ['a', { type: 'task.reopened', anew: true }],
        ['a', attemptStarted(9)],
        ['a', { type: 'gate.finished', ...gate }],
        ['new', notice('of a task that is new')],
        ['', { type: 'run.finished', status: 0, counts }],
        ['a', voided],
        ['a', rolledBack],
        ['a', { type: 'task.reopened', anew: false }],
      ];
      for (const end of ends) {
        const plan = `plan-${end}`;
        const entries = recordedEvents.slice(0, end + 1);
        await ledger.restore({ slug: plan, path: `${plan}.md` }, { entries, highest: 0 });
        expect(await second.past(plan)).toEqual(folded(await second.history(plan)));
        const heads = new Map<string, number>();
        for (const { task } of entries) heads.set(task, (heads.get(task) ?? 0) + 1);
        for (const [task, event] of more) {
          const seq = heads.get(task) ?? 0;
          heads.set(task, seq + 1);
          await ledger.append({ run: 'again', plan, task, event }, seq);
          expect(await second.past(plan)).toEqual(folded(await second.history(plan)));
        }
      }
    });

    it('hands out no number twice', async () => {
      await ledger.addPlan('other', 'other/PLAN.md');
      expect(await ledger.highestNumber('demo')).toBe(0);
      expect(await ledger.takeNumber('demo', 0)).toBe(1);
      expect(await second.takeNumber('demo', 0)).toBe(2);
      expect(await ledger.takeNumber('demo', 41)).toBe(42);
      expect(await second.takeNumber('demo', 7)).toBe(43);
      expect(await second.takeNumber('other', 0)).toBe(1);
      expect(await (await open()).highestNumber('demo')).toBe(43);
    });

    it('knows which attempts of a work tree were cut off', async () => {
      await append('done', ...passing('c'));
      await append('back', attemptStarted(), voided, rolledBack);
      await append('cut', attemptStarted(), voided, rolledBack, attemptStarted(2));
      await append('gating', attemptStarted(), { type: 'gate.finished', ...gate });
      await append('elsewhere', attemptStarted(1, 'w2'));
      await append('new', notice(''));
      const of = async (worktree: string): Promise<string[]> =>
        (await second.underWay(worktree)).map(({ plan, task }) => `${plan}/${task}`);
      expect(await of('w1')).toEqual(['demo/cut', 'demo/gating']);
      expect(await of('w2')).toEqual(['demo/elsewhere']);
      expect(await of('w3')).toEqual([]);
      const cut = { task: 'elsewhere', worktree: 'w2' };
      expect(await second.underWayElsewhere('demo', 'w1')).toEqual([cut]);
      expect(await second.underWayElsewhere('other', 'w1')).toEqual([]);
    });

    it('gives the tasks that have gone on since a run last came to its end', async () => {
      const of = async (plan: string): Promise<string[]> =>
        (await second.sinceEnd(plan)).map(({ task, event }) => `${task} ${event.type}`);
      await append('old', attemptStarted(), voided, rolledBack);
      await append('on', attemptStarted());
      expect(await of('demo')).toEqual([
        'old attempt.started',
        'old attempt.voided',
        'old rollback.done',
        'on attempt.started',
      ]);
      await append('', { type: 'run.finished', status: 1, counts });
      expect(await of('demo')).toEqual([' run.finished']);
      await append('on', voided);
      await append('', notice('of no task'));
      expect(await of('demo')).toEqual([
        'on attempt.started',
        ' run.finished',
        'on attempt.voided',
      ]);
      expect(await of('other')).toEqual([]);
    });

    it('knows the refs that were told of, per plan', async () => {
      expect([...(await second.refsTold('demo'))]).toEqual([]);
      await append('', runStarted('start'));
      await append('a', attemptStarted(), agentFinished, ...samples['gates.passed']);
      await append('b', attemptStarted(), voided, rolledBack);
      const [passed] = samples['gates.passed'];
      const started = (await second.history('demo')).find(
        ({ event }) => event.type === 'run.started',
      );
      const start = started?.event.type === 'run.started' ? started.event.start : undefined;
      expect([...(await second.refsTold('demo'))].sort()).toEqual(
        [snapshot.ref, passed?.tag, passed?.proof, start].sort(),
      );
      expect([...(await second.refsTold('other'))]).toEqual([]);
    });

    it('knows the commits of checkpoints and of starts, per plan', async () => {
      await append('', runStarted('start'));
      await append('a', ...passing('point'));
      const knows = async (plan: string): Promise<boolean[]> =>
        Promise.all(
          ['start', 'point', 'base', 'tag', 'poin', ''].map(async (commit) =>
            second.knowsCommit(plan, commit),
          ),
        );
      expect(await knows('demo')).toEqual([true, true, false, false, false, false]);
      expect(await knows('other')).toEqual([false, false, false, false, false, false]);
    });

    it('remembers the last verdict on a tree and its gates', async () => {
      expect(await ledger.verdict('tree', 'gates')).toBeUndefined();
      await ledger.rememberVerdict('tree', 'gates', 'fail');
      await ledger.rememberVerdict('tree', 'gates', 'pass');
      await ledger.rememberVerdict('tree', 'others', 'fail');
      expect(await second.verdict('tree', 'gates')).toBe('pass');
      expect(await second.verdict('tree', 'others')).toBe('fail');
      expect(await second.verdict('another', 'gates')).toBeUndefined();
    });
  });
}

const NOON = '2026-01-01T12:00:00.000Z';

ledgerContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger contract '));
  return {
    open: async () => openSqliteLedger(join(folder, 'skeleton', 'ledger.db'), { now: () => NOON }),
    now: NOON,
    remove: async () => rmSync(folder, { recursive: true }),
  };
});

describe('in a database', () => {
  let lab: PostgresLab;
  let url: string;
  beforeAll(async () => {
    lab = await openPostgresLab();
    url = await lab.database();
  });
  afterAll(async () => lab.close());

  ledgerContract('PostgreSQL', async () => {
    // What others keep there is nobody's business.
    const project = randomUUID();
    return {
      open: async () => openPostgresLedger(url, { project }),
      now: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      remove: async () => undefined,
    };
  });
});
