import { describe, expect, test } from 'vitest';
import { finishedTasks, openRuns, pickOld } from '../../../src/core/gc.ts';
import type { GcFacts } from '../../../src/core/gc.ts';
import { namedByPath, namedByRef } from '../../../src/core/own-things.ts';
import type { OwnThing } from '../../../src/core/own-things.ts';
import type { Recorded, TaskEvent } from '../../../src/core/events.ts';

const day = 24 * 3_600_000;
const now = Date.parse('2026-11-29T12:00:00Z');
const daysAgo = (days: number): number => now - days * day;

const facts: GcFacts = {
  now,
  recent: new Set(['recent-run']),
  busy: new Set(['busy', 'held-tree']),
  finished: new Set(['plan/done', 'busy/done']),
  attempts: new Map([
    ['plan/done/1', { run: 'old-run', at: daysAgo(40) }],
    ['plan/done/2', { run: 'recent-run', at: daysAgo(40) }],
    ['plan/done/3', { run: 'old-run', at: daysAgo(3) }],
    ['plan/open/1', { run: 'old-run', at: daysAgo(40) }],
    ['busy/done/1', { run: 'old-run', at: daysAgo(40) }],
  ]),
  runs: new Map([['young-run', daysAgo(2)]]),
  setAside: new Set(['plan/1']),
};

function thing(name: string, days: number): OwnThing {
  const named = name.startsWith('refs/') ? namedByRef(name) : namedByPath(name);
  return { ...named, name, at: daysAgo(days), bytes: 1 };
}

/** What goes of one thing of that age: all or nothing. */
const goes = (name: string, days: number): boolean =>
  pickOld([thing(name, days)], facts).length === 1;

describe('what gc takes', () => {
  test.each([
    ['refs/skeleton/attempts/plan/done/1', 31],
    ['refs/skeleton/attempts/plan/done/1', 30],
    ['refs/skeleton/agent/plan/done/1/heads/x', 0],
    ['refs/skeleton/undo/plan/3', 31],
    ['refs/skeleton/anchor/0123456789ab', 31],
    ['quarantine/plan/done/1', 31],
    ['quarantine/plan/+undo/1', 31],
    ['quarantine/plan/+autostash/2', 31],
    ['logs/old-run', 31],
    ['logs/of-a-gate-command', 31],
    ['ledger.db.damaged-20261001', 31],
    ['ledger.db.5f0c0b9e-1111-4222-8333-944444444444', 31],
    ['worktrees/0123456789ab', 31],
    ['trash/1', 0],
  ])('%s, %i days old', (name, days) => {
    expect(goes(name, days)).toBe(true);
  });
});

describe('what gc keeps', () => {
  test.each([
    ['younger than 30 days', 'refs/skeleton/attempts/plan/done/1', 29],
    ['of one of the last runs', 'refs/skeleton/attempts/plan/done/2', 60],
    ['begun lately, whatever the commit says', 'refs/skeleton/attempts/plan/done/3', 60],
    ['of an unfinished task', 'refs/skeleton/attempts/plan/open/1', 400],
    ['its raw bytes', 'quarantine/plan/open/1', 400],
    ["its agent's refs", 'refs/skeleton/agent/plan/open/1/heads/x', 400],
    ['of a task that nobody knows', 'refs/skeleton/attempts/plan/unknown/1', 400],
    ['of a plan that a run works on', 'refs/skeleton/attempts/busy/done/1', 400],
    ['undone work of such a plan', 'refs/skeleton/undo/busy/1', 400],
    ['private files of a work tree that is held', 'worktrees/held-tree', 400],
    ['its anchor', 'refs/skeleton/anchor/held-tree', 400],
    ["a person's work", 'refs/skeleton/autostash/plan/1', 400],
    ['its raw bytes', 'quarantine/plan/+autostash/1', 400],
    ['logs of one of the last runs', 'logs/recent-run', 400],
    ['logs of a run that the ledger knows as young', 'logs/young-run', 400],
    ['a proof', 'refs/skeleton/proof/plan/0001', 400],
    ['a fence', 'refs/skeleton/fence/plan/1', 400],
    ['a ref of no kind that is known', 'refs/skeleton/other/x', 400],
    ['the ledger', 'ledger.db', 400],
    ['its log', 'ledger.db-wal', 400],
    ['locks', 'locks', 400],
    ['a file of no kind that is known', 'something', 400],
  ])('%s: %s', (_why, name, days) => {
    expect(goes(name, days)).toBe(false);
  });
});

function record(task: string, run: string, ...events: readonly TaskEvent[]): readonly Recorded[] {
  const at = '2026-10-01T00:00:00Z';
  return events.map((event, i) => ({ run, at, plan: 'plan', task, seq: i + 1, event }));
}

const started: TaskEvent = {
  type: 'attempt.started',
  number: 1,
  attempt: 1,
  attempts: 5,
  base: 'b',
  agent: 'a',
  token: 't',
  worktree: 'w',
};
const rejected: readonly TaskEvent[] = [
  started,
  { type: 'attempt.rejected', failure: { kind: 'no-change' } },
  { type: 'rollback.done', snapshot: { ref: 'r', commit: 'c' } },
];
const passed: readonly TaskEvent[] = [
  started,
  { type: 'agent.finished', seconds: 1, ended: 'exit 0', exit: 0, log: '' },
  { type: 'gates.passed', commit: 'c', tag: 't', proof: 'p', proofObject: 'o', gates: [] },
  { type: 'checkpoint.created', tag: 't', commit: 'c' },
];

describe('finished tasks', () => {
  const of = (
    state: 'done' | 'pending' | 'skipped' | undefined,
    events: readonly Recorded[],
  ): readonly string[] =>
    finishedTasks({
      slug: 'plan',
      events,
      tasks: state === undefined ? undefined : [{ id: 'x', state }],
    });

  test.each([
    ['ticked at HEAD, never run', of('done', []), ['plan/x']],
    ['ticked and passed', of('done', record('x', 'r', ...passed)), ['plan/x']],
    ['passed, but pending at HEAD: undone', of('pending', record('x', 'r', ...passed)), []],
    ['skipped', of('skipped', record('x', 'r', ...rejected)), []],
    ['pending', of('pending', record('x', 'r', ...rejected)), []],
    ['ticked with an attempt under way', of('done', record('x', 'r', started)), []],
    ['passed, and the plan is gone', of(undefined, record('x', 'r', ...passed)), ['plan/x']],
    ['rejected, and the plan is gone', of(undefined, record('x', 'r', ...rejected)), []],
  ])('%s', (_what, found, wanted) => {
    expect(found).toEqual(wanted);
  });

  test('an unreadable plan finishes nothing', () => {
    const events = record('x', 'r', ...passed);
    expect(finishedTasks({ slug: 'plan', events, tasks: 'unreadable' })).toEqual([]);
  });

  test('a run whose attempt is under way is open', () => {
    expect(openRuns([...record('x', 'dead', started), ...record('y', 'over', ...passed)])).toEqual([
      'dead',
    ]);
  });
});
