import { expect, test } from 'vitest';
import { deadLettersOf } from '../../../src/core/dead-letters.ts';
import { summarise, type PlannedTask } from '../../../src/core/summary.ts';
import { attemptStarted, record, runStarted } from '../../support/history.ts';

const planned: readonly PlannedTask[] = [
  { id: 'a', title: 'First', state: 'pending', needs: [], line: 1 },
  { id: 'b', title: 'Second', state: 'pending', needs: ['a'], line: 2 },
  { id: 'c', title: 'Third', state: 'pending', needs: ['b'], line: 3 },
  { id: 'd', title: 'Fourth', state: 'pending', needs: [], line: 4 },
];

const failure = { kind: 'gate-failed', gates: ['check.sh'] } as const;
const failed = [
  { task: '', event: runStarted({ options: { host: 'machine-7' } }) },
  { task: 'a', event: attemptStarted(1) },
  { task: 'a', event: { type: 'attempt.rejected', failure } },
  { task: 'a', event: { type: 'task.finished', state: 'failed' } },
  { task: 'b', event: { type: 'task.finished', state: 'blocked', why: 'a failed' } },
  { task: 'c', event: { type: 'task.finished', state: 'blocked', why: 'b is blocked' } },
] as const;

test('a task that failed, with why, when and where, and all that wait for it', () => {
  expect(deadLettersOf(summarise(planned, record(failed)))).toEqual([
    {
      ...{ task: 'a', title: 'First', attempts: 1, last: 1, why: 'rejected by check.sh' },
      ...{ at: '2026-01-01T00:00:02.000Z', run: 'run-1', host: 'machine-7' },
      waiting: ['b', 'c'],
    },
  ]);
});

test('none once it is taken up again, and none without a history', () => {
  const again = { task: 'a', event: { type: 'task.reopened', anew: true } } as const;
  expect(deadLettersOf(summarise(planned, record([...failed, again])))).toEqual([]);
  expect(deadLettersOf(summarise(planned, []))).toEqual([]);
});
