import { describe, expect, test } from 'vitest';
import { reportOfAll } from '../../../src/core/run-report.ts';
import { lastTeam } from '../../../src/core/team-runs.ts';
import { renderJunit } from '../../../src/report/junit.ts';
import { renderMarkdown } from '../../../src/report/markdown.ts';
import { begun, ofRun, record, rejected, runStarted, taskFinished } from '../../support/history.ts';
import type { Entry } from '../../support/history.ts';
import type { RunCounts } from '../../../src/core/events.ts';

const began = (run: string, host = `host-of-${run}`): Entry => ({
  ...ofRun(runStarted({ options: { host } })),
  run,
});
const counts: RunCounts = {
  ...{ passed: 0, failed: 1, blocked: 1, skipped: 0, unjudged: 0, pending: 0 },
};
const ended = (run: string): Entry => ({
  ...ofRun({ type: 'run.finished', status: 1, counts }),
  run,
});
const nobody = (): boolean => false;

describe('the runs that worked together', () => {
  test('are those that went on at the same time, and the one that ended last tells the end', () => {
    const events = record([
      ...[began('r0'), ended('r0')],
      ...[began('r1'), began('r2'), ended('r1'), began('r3'), ended('r3'), ended('r2')],
    ]);
    expect(lastTeam(events, nobody)).toEqual(['r1', 'r3', 'r2']);
    expect(lastTeam(events.slice(0, 2), nobody)).toEqual(['r0']);
    expect(lastTeam([], nobody)).toBeUndefined();
  });

  test('one that goes on is the end of all; one that has died is over with its last word', () => {
    const events = record([began('r1'), began('r2'), ended('r2'), began('r3'), ended('r3')]);
    expect(lastTeam(events, (run) => run === 'r1')).toEqual(['r2', 'r3', 'r1']);
    expect(lastTeam(events, nobody)).toEqual(['r3']);
  });

  test('in a ledger of one repository, the newest alone', () => {
    const alone = (run: string): Entry => ({ ...ofRun(runStarted()), run });
    const events = record([alone('r1'), alone('r2'), ended('r2')]);
    expect(lastTeam(events, () => true)).toEqual(['r2']);
  });
});

describe('the report of all', () => {
  const inRun = (run: string, entries: readonly Entry[]): readonly Entry[] =>
    entries.map((entry) => ({ ...entry, run }));
  const events = record([
    ...[began('r1'), began('r2')],
    ...inRun('r1', [...begun('a'), ...rejected('a').slice(2), taskFinished('a', 'failed')]),
    ...inRun('r2', [taskFinished('b', 'blocked')]),
    ...[ended('r1'), ended('r2')],
  ]);

  test('has the tasks of every one, and says who they were', () => {
    const report = reportOfAll(events, [], ['r1', 'r2']);
    if (report === undefined) throw new Error('no report');
    expect(report.tasks.map(({ id, attempts }) => [id, attempts.length])).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
    expect(report.run).toMatchObject({ run: 'r2', status: 1, startedAt: events[0]?.at });
    expect(report.runs?.map(({ run, host }) => [run, host])).toEqual([
      ['r1', 'host-of-r1'],
      ['r2', 'host-of-r2'],
    ]);
    const text = renderMarkdown(report);
    expect(text).toContain('**1 failed, 1 blocked**');
    expect(text).toContain(
      '2 runs together: <code>r1 on host-of-r1</code>, <code>r2 on host-of-r2</code>',
    );
    expect(text).toMatch(/<code>a<\/code> \|.*failed/);
    expect(renderJunit(report).match(/<testsuite /g)).toHaveLength(2);
  });

  test('of one alone is the report of that one', () => {
    expect(reportOfAll(events, [], ['r1'])).not.toHaveProperty('runs');
    expect(reportOfAll(events, [], ['r1'])?.tasks).toHaveLength(1);
  });
});
