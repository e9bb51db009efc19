import { describe, expect, test } from 'vitest';
import type { Trial } from '../../../src/core/drill.ts';
import { drillEndLines, drillStartLine, trialLines } from '../../../src/report/drill-lines.ts';
import { plainStyle } from '../../../src/report/style.ts';

const held: Trial = {
  name: 'renames',
  group: 'damage',
  outcome: 'held',
  reasons: [],
  told: [],
  left: 0,
  isByNextRun: false,
  seconds: 1,
};
const failed: Trial = { ...held, name: 'a FIFO', outcome: 'failed', reasons: ['pipe was made'] };
const ownGates = { count: 1, doPass: true, why: '', seconds: 2.04 };

const endOf = (trials: readonly Trial[], total?: number): readonly string[] => {
  const isInterrupted = total !== undefined;
  const report = { ownGates, trials, seconds: 72.4, isInterrupted, total: total ?? trials.length };
  return drillEndLines(report, plainStyle);
};

describe('the end of a drill', () => {
  test('all held', () => {
    const forged: Trial = { ...held, group: 'forgery' };
    const killed: Trial = { ...held, group: 'kill' };
    expect(endOf([held, forged, killed, killed])).toEqual([
      '1 kind of damage: 1 restored exactly',
      'false passes: 0 of 1',
      'killed 2 times: carried on 2',
      'processes left: 0',
      'time 1m 12s',
    ]);
  });

  test('an interrupted one says so, and how much is not known', () => {
    expect(endOf([held], 5).slice(0, 2)).toEqual([
      'interrupted: 4 of 5 kinds were not tried',
      '1 kind of damage: 1 restored exactly',
    ]);
  });

  test('what did not hold, was told or not tried is counted', () => {
    const lines = endOf([
      held,
      failed,
      { ...held, told: ['dist/x'], isByNextRun: true },
      { ...held, outcome: 'not-tried' },
      { ...failed, group: 'forgery' },
      { ...failed, group: 'kill', left: 2 },
    ]);
    expect(lines).toEqual([
      '3 kinds of damage: 2 restored exactly, 1 not',
      'false passes: 1 of 1',
      'killed once: carried on 0',
      'processes left: 2',
      'run stopped, put back by the next one: 1',
      'told, not undone (ignored paths, as documented): 1',
      'not tried: 1',
      'time 1m 12s',
    ]);
  });
});

test('a kind that held is not worth a line; one that did not says why, and no more than five times', () => {
  expect(trialLines(held, plainStyle)).toEqual([]);
  const reasons = Array.from({ length: 7 }, (_, index) => `reason\u001b[2J ${index}`);
  const lines = trialLines({ ...failed, reasons, left: 1 }, plainStyle);
  expect(lines).toHaveLength(8);
  expect(lines.join('\n')).not.toContain('\u001b');
  expect(lines.slice(-2)).toEqual(['    and 2 more', '    1 process left']);
  const why = { ...held, outcome: 'not-tried' as const, reasons: ['mkfifo: not found'] };
  expect(trialLines(why, plainStyle)).toEqual(['! not tried: renames: mkfifo: not found']);
});

test('the first line says whether the own gates can judge a clone', () => {
  expect(drillStartLine(ownGates, 94)).toBe(
    'your 1 gate pass on a clean clone (2.0 s); 94 kinds, judged by a stand-in gate',
  );
  const red = { ...ownGates, doPass: false, why: 'tests: error' };
  expect(drillStartLine(red, 1)).toContain(
    'your gates do not pass on a clean clone (tests: error)',
  );
});
