import { describe, expect, test } from 'vitest';
import { reportOf } from '../../../src/core/run-report.ts';
import {
  attemptStarted,
  begun,
  ofRun,
  record,
  rejected,
  runStarted,
  taskFinished,
} from '../../support/history.ts';
import type { Entry } from '../../support/history.ts';
import { planned, recordedEvents, recordedReport } from '../../support/recorded-run.ts';

const inRun = (run: string, entries: readonly Entry[]): readonly Entry[] =>
  entries.map((entry) => ({ ...entry, run }));

describe('the report of a run', () => {
  test('has the tasks that the run spoke of, with their attempts and waits', () => {
    const { run, tasks } = recordedReport;
    expect(run).toMatchObject({ run: 'run-1', status: 1, seconds: 541 });
    expect(tasks.map(({ id, state, attempts }) => [id, state, attempts.length])).toEqual([
      ['split', 'passed', 2],
      ['hostile', 'failed', 3],
      ['join', 'blocked', 0],
    ]);
    expect(tasks[1]?.waits).toEqual([
      {
        from: '2026-01-01T00:02:51.000Z',
        to: '2026-01-01T00:07:50.000Z',
        until: '2026-01-01T00:07:50.000Z',
        agent: 'claude',
      },
    ]);
    expect(tasks[2]?.title).toBe('Join words');
  });

  test('an attempt that a dead run began is in the reports of both', () => {
    const events = record([
      ...inRun('run-1', [ofRun(runStarted()), ...begun('a')]),
      ...inRun('run-2', [ofRun(runStarted()), ...rejected('a').slice(2), ...rejected('a', 2)]),
      ...inRun('run-3', [ofRun(runStarted()), taskFinished('a', 'failed')]),
    ]);
    const numbers = (id: string): unknown =>
      reportOf(events, planned, id)?.tasks.flatMap((task) =>
        task.attempts.map((one) => one.number),
      );
    expect(numbers('run-1')).toEqual([1]);
    expect(numbers('run-2')).toEqual([1, 2]);
    expect(numbers('run-3')).toEqual([]);
  });

  test('a run is told as it was when it ended, whatever came later', () => {
    const later = record([
      ...inRun('run-2', [ofRun(runStarted()), { task: 'hostile', event: attemptStarted(4) }]),
    ]);
    const report = reportOf([...recordedEvents, ...later], planned, 'run-1');
    expect(report).toEqual(recordedReport);
  });

  test('there is none without a run, or of an unknown one', () => {
    expect(reportOf([], planned)).toBeUndefined();
    expect(reportOf(recordedEvents, planned, 'run-9')).toBeUndefined();
  });
});
