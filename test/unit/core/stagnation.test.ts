import { describe, expect, it } from 'vitest';
import type { GateResult, TaskEvent } from '../../../src/core/events.ts';
import { describeRepeats, repeatsIn } from '../../../src/core/stagnation.ts';

const gate = (tail: string, more: Partial<GateResult> = {}): TaskEvent => ({
  ...{ type: 'gate.finished', name: 'tests', command: 'npm test', verdict: 'fail' },
  ...{ ended: 'exit 1', exit: 1, seconds: 1, soft: false, digest: 'sha256:00', tail, log: '' },
  ...more,
});
const attempt = (number: number): TaskEvent => ({
  ...{ type: 'attempt.started', number, attempt: number, attempts: 5 },
  ...{ base: 'c0', agent: 'a', token: 't', worktree: 'w' },
});
const rejected = (left?: string, kind: 'gate-failed' | 'no-change' = 'gate-failed'): TaskEvent => ({
  ...{ type: 'attempt.rejected', failure: { kind } },
  ...(left !== undefined && { left }),
});

describe('attempts that end alike', () => {
  it.each([
    ['one alone', [attempt(1), gate('x'), rejected('t1')], undefined],
    [
      'the same files',
      [attempt(1), gate('x'), rejected('t1'), attempt(2), gate('y'), rejected('t1')],
      { what: 'tree', times: 2 },
    ],
    [
      'other files, the same output',
      [attempt(1), gate('x'), rejected('t1'), attempt(2), gate('x'), rejected('t2')],
      { what: 'gates', times: 2 },
    ],
    [
      'other files, other output',
      [attempt(1), gate('x'), rejected('t1'), attempt(2), gate('y'), rejected('t2')],
      undefined,
    ],
    [
      'the same as the one before the last',
      [
        ...[attempt(1), gate('x'), rejected('t1'), attempt(2), gate('y'), rejected('t2')],
        ...[attempt(3), gate('x'), rejected('t1')],
      ],
      undefined,
    ],
    [
      'nothing changed, three times',
      [1, 2, 3].flatMap((nth) => [attempt(nth), rejected(undefined, 'no-change')]),
      { what: 'tree', times: 3 },
    ],
    [
      'output that differs in times only',
      [
        ...[attempt(1), gate('1 failed in 3.21 s at 10:03:12'), rejected('t1')],
        ...[attempt(2), gate('1 failed in 870 ms at 10:04:59'), rejected('t2')],
      ],
      { what: 'gates', times: 2 },
    ],
    [
      'output that differs in a number',
      [
        ...[attempt(1), gate('expected 3'), rejected('t1')],
        ...[attempt(2), gate('expected 4'), rejected('t2')],
      ],
      undefined,
    ],
    [
      'gates that say nothing',
      [attempt(1), gate(''), rejected('t1'), attempt(2), gate(' '), rejected('t2')],
      undefined,
    ],
    [
      'a soft gate does not count',
      [
        ...[attempt(1), gate('s', { soft: true }), gate('x'), rejected('t1')],
        ...[attempt(2), gate('s', { soft: true }), gate('y'), rejected('t2')],
      ],
      undefined,
    ],
    [
      'a free attempt between them does not count',
      [
        ...[attempt(1), gate('x'), rejected('t1')],
        ...[attempt(2), { type: 'attempt.voided', why: 'throttled' } as const],
        ...[attempt(3), gate('x'), rejected('t1')],
      ],
      { what: 'tree', times: 2 },
    ],
    [
      'what was before the task was begun anew',
      [
        ...[attempt(1), gate('x'), rejected('t1'), { type: 'task.reopened', anew: true } as const],
        ...[attempt(2), gate('x'), rejected('t1')],
      ],
      undefined,
    ],
    [
      'ended before there was anything to see, twice',
      [attempt(1), rejected(), attempt(2), rejected()],
      undefined,
    ],
  ])('%s', (_, events, repeats) => {
    expect(repeatsIn(events)).toEqual(repeats);
  });

  it('are told in words', () => {
    expect(describeRepeats({ what: 'tree', times: 2 })).toContain('2 attempts in a row');
    expect(describeRepeats({ what: 'gates', times: 3 })).toContain('the same output');
  });
});
