import { describe, expect, test } from 'vitest';
import { attemptsOf, summarise } from '../../../src/core/summary.ts';
import type { PlannedTask } from '../../../src/core/summary.ts';
import {
  attemptStarted,
  begun,
  gate,
  ofRun,
  passed,
  record,
  rejected,
  runFinished,
  runStarted,
  taskFinished,
  taskStarted,
} from '../../support/history.ts';

function planned(id: string, changes: Partial<PlannedTask> = {}): PlannedTask {
  return { id, title: `Title of ${id}`, state: 'pending', needs: [], line: 1, ...changes };
}

const states = (plan: readonly PlannedTask[] | undefined, ...entries: Parameters<typeof record>) =>
  Object.fromEntries(summarise(plan, record(...entries)).tasks.map(({ id, state }) => [id, state]));

describe('the state of a task', () => {
  test('without any history it is what the plan says', () => {
    const plan = [
      planned('a', { state: 'done' }),
      planned('b', { state: 'skipped' }),
      planned('c'),
    ];
    expect(states(plan, [])).toEqual({ a: 'ticked', b: 'skipped', c: 'pending' });
  });

  test('ticked and checkpointed is passed, and it names the checkpoint', () => {
    const events = record([taskStarted('a'), ...passed('a'), taskFinished('a', 'passed')]);
    const [task] = summarise([planned('a', { state: 'done' })], events).tasks;
    expect(task).toMatchObject({
      state: 'passed',
      checkpoint: { tag: 'refs/tags/skeleton/plan/0001-a' },
    });
  });

  test('a checkpoint without gates is unjudged, also when the run died before it said so', () => {
    const plan = [planned('a', { state: 'done' })];
    expect(states(plan, passed('a', 1, []))).toEqual({ a: 'unjudged' });
    expect(states(plan, [...passed('a', 1, []), taskFinished('a', 'unjudged')])).toEqual({
      a: 'unjudged',
    });
  });

  test('passed once, but no longer ticked: it is pending and names no checkpoint', () => {
    const events = record([...passed('a'), taskFinished('a', 'passed')]);
    expect(summarise([planned('a')], events).tasks[0]).toMatchObject({
      state: 'pending',
      checkpoint: undefined,
    });
  });

  test('a failed task is pending again once it was reopened', () => {
    const failed = [...rejected('a'), taskFinished('a', 'failed')];
    expect(states([planned('a')], failed)).toEqual({ a: 'failed' });
    const reopened = { task: 'a', event: { type: 'task.reopened', anew: true } } as const;
    expect(states([planned('a')], [...failed, reopened])).toEqual({ a: 'pending' });
  });

  test('a stopped task is pending', () => {
    expect(states([planned('a')], [...begun('a'), taskFinished('a', 'stopped')])).toEqual({
      a: 'pending',
    });
  });

  test('blocked holds only while what it waits for has failed, through any number of tasks', () => {
    const plan = [
      planned('a'),
      planned('b', { needs: ['a'] }),
      planned('c', { needs: ['b'] }),
      planned('d', { needs: ['c'] }),
    ];
    const blocked = ['b', 'c', 'd'].map((id) => taskFinished(id, 'blocked', 'waits for a'));
    const failed = [...rejected('a'), taskFinished('a', 'failed'), ...blocked];
    expect(states(plan, failed)).toEqual({ a: 'failed', b: 'blocked', c: 'blocked', d: 'blocked' });
    const mended = [{ ...planned('a'), state: 'done' as const }, ...plan.slice(1)];
    expect(states(mended, failed)).toEqual({
      a: 'ticked',
      b: 'pending',
      c: 'pending',
      d: 'pending',
    });
  });

  test('a chain of 20,000 blocked tasks is no deeper than one of two', () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => `t${at}`);
    const plan = ids.map((id, at) => planned(id, at > 0 ? { needs: [`t${at - 1}`] } : {}));
    const blocked = ids.slice(1).map((id) => taskFinished(id, 'blocked'));
    const { counts } = summarise(plan, record([taskFinished('t0', 'failed'), ...blocked]));
    expect(counts).toMatchObject({ failed: 1, blocked: 19_999 });
  });

  test('without a plan the history speaks, in its own order', () => {
    const entries = [taskStarted('b'), ...passed('b'), taskFinished('a', 'blocked', 'waits for b')];
    expect(states(undefined, entries)).toEqual({ b: 'passed', a: 'blocked' });
    expect(summarise(undefined, record(entries)).tasks.map(({ title }) => title)).toEqual([
      'Title of b',
      'a',
    ]);
  });

  test('tasks that the plan lost come last', () => {
    expect(Object.keys(states([planned('new')], passed('old')))).toEqual(['new', 'old']);
  });
});

describe('attempts', () => {
  const summary = summarise(
    [planned('a'), planned('b')],
    record([
      ...rejected('a', 1),
      ...begun('a', 2),
      { task: 'a', event: { type: 'attempt.voided', why: 'interrupted' } },
      ...passed('b', 1),
      { task: 'a', event: attemptStarted(3, 2) },
    ]),
  );

  test('each has its number, its outcome and what its gates said', () => {
    const [task] = summary.tasks;
    expect(
      task?.attempts.map(({ number, attempt, outcome }) => [number, attempt, outcome.kind]),
    ).toEqual([
      [1, 1, 'rejected'],
      [2, 2, 'voided'],
      [3, 2, 'open'],
    ]);
    expect(task?.attempts[0]).toMatchObject({
      outcome: { failure: { kind: 'gate-failed', gates: ['check.sh'] } },
      gates: [{ name: 'check.sh', verdict: 'fail', ended: 'exit 1' }],
      snapshot: { ref: 'refs/skeleton/attempts/plan/a/1' },
      agentEnd: { ended: 'exit 0' },
    });
  });

  test('its time is from its start to its last event, waits after it left out', () => {
    const events = record([
      ...begun('a', 1),
      { task: 'a', event: { type: 'attempt.voided', why: 'throttled' }, at: 10 },
      { task: 'a', event: { type: 'wait.over' }, at: 5000 },
    ]);
    expect(summarise(undefined, events).tasks[0]?.seconds).toBe(10);
  });

  test('a clock that was set back gives no negative time', () => {
    const events = record([
      { task: 'a', event: attemptStarted(1), at: 100 },
      ...begun('a')
        .slice(1)
        .map((entry) => ({ ...entry, at: 3 })),
    ]);
    expect(summarise(undefined, events).tasks[0]?.seconds).toBe(0);
  });

  test('over all tasks they come in the order of their start', () => {
    expect(attemptsOf(summary).map(({ task, number }) => `${task}#${number}`)).toEqual([
      'a#1',
      'a#2',
      'b#1',
      'a#3',
    ]);
  });
});

describe('runs', () => {
  test('each has its end, its time and its notices; one that died has no end', () => {
    const notice = { type: 'notice', message: 'careful' } as const;
    const { runs, last } = summarise(
      undefined,
      record([
        ofRun(runStarted()),
        { task: 'a', event: notice },
        ...passed('a'),
        { ...ofRun(runFinished({ status: 1, why: 'failed' })), at: 60 },
        { ...ofRun(runStarted()), run: 'run-2', at: 100 },
        { ...ofRun(notice), run: 'run-2', at: 107 },
      ]),
    );
    expect(runs).toMatchObject([
      { run: 'run-1', status: 1, why: 'failed', seconds: 60, notices: ['careful'] },
      { run: 'run-2', status: undefined, seconds: 7, branch: 'refs/heads/main' },
    ]);
    expect(last?.tag).toBe('refs/tags/skeleton/plan/0001-a');
  });

  test('the counts are those of the tasks', () => {
    const plan = [
      planned('a', { state: 'done' }),
      planned('b'),
      planned('c', { state: 'skipped' }),
    ];
    const { counts } = summarise(plan, record(passed('a', 1, [gate()])));
    expect(counts).toEqual({
      passed: 1,
      unproven: 0,
      ticked: 0,
      unjudged: 0,
      failed: 0,
      blocked: 0,
      skipped: 1,
      pending: 1,
    });
  });
});
