import { describe, expect, test } from 'vitest';
import type { TaskEvent } from '../../../src/core/events.ts';
import type { Failure } from '../../../src/core/failure.ts';
import { lastLeft, recordedResult } from '../../../src/core/recorded-result.ts';

const snapshotOf = (number: number) => ({ ref: `refs/${number}`, commit: `s${number}` });

function started(number: number, more: object = {}): TaskEvent {
  const who = { base: 'b', agent: 'a', token: 't', worktree: 'w' };
  return { type: 'attempt.started', number, attempt: 1, attempts: 5, ...who, ...more };
}

const finished = (key: string, exit = 0): TaskEvent => ({
  ...{ type: 'agent.finished', seconds: 1, ended: `exit ${exit}`, exit, log: '', key },
});

function passed(number: number, left: string): readonly TaskEvent[] {
  const at = { commit: `c${number}`, tag: 't' };
  return [
    { type: 'gates.passed', ...at, proof: 'p', proofObject: 'o', gates: [], left },
    { type: 'checkpoint.created', ...at },
  ];
}

function rejected(number: number, failure: Failure, left?: string): readonly TaskEvent[] {
  return [
    { type: 'attempt.rejected', failure, ...(left !== undefined && { left }) },
    { type: 'rollback.done', snapshot: snapshotOf(number) },
  ];
}

const voided = (number: number): readonly TaskEvent[] => [
  { type: 'attempt.voided', why: 'gate-error' },
  { type: 'rollback.done', snapshot: snapshotOf(number) },
];

const red = { kind: 'gate-failed' } as const;

describe('the recorded result of a key', () => {
  test('is that of the newest attempt that ended with it', () => {
    const events = [
      ...[started(1), finished('k'), ...passed(1, 'one')],
      ...[started(2), finished('k'), ...rejected(2, red, 'two')],
      ...[started(3), finished('other'), ...passed(3, 'three')],
      ...[started(4), finished('k'), ...voided(4)],
      ...[started(5), finished('k')],
    ];
    const two = { number: 2, tree: 'two', left: 'two', snapshot: snapshotOf(2) };
    expect(recordedResult(events, 'k')).toEqual({ exit: 0, ...two });
    expect(recordedResult(events.slice(0, 4), 'k')).toMatchObject({ number: 1, tree: 'one' });
    expect(recordedResult(events, 'none')).toBeUndefined();
  });

  test('where no gate was reached, it is what was kept; a failed step says why', () => {
    const failure = { kind: 'agent-error', detail: 'exit 3' } as const;
    const failed = [started(1), finished('k', 3), ...rejected(1, failure)];
    expect(recordedResult(failed, 'k')).toMatchObject({ tree: 's1', exit: 3, failure });
    const tampered = [started(1), finished('k'), ...rejected(1, { kind: 'tampered' })];
    expect(recordedResult(tampered, 'k')).toMatchObject({ tree: 's1' });
    expect(recordedResult(tampered, 'k')).not.toHaveProperty('failure');
  });

  test.each(['crashed', 'too-large', 'nested-repo', 'unaddable', 'unignored'] as const)(
    'is none of an attempt that was rejected as %s',
    (kind) => {
      expect(recordedResult([started(1), finished('k'), ...rejected(1, { kind })], 'k')).toBe(
        undefined,
      );
    },
  );

  test('is that of work which a gate error left to be judged later', () => {
    const events = [
      ...[started(1), finished('k'), ...voided(1)],
      ...[started(2, { judge: snapshotOf(1) }), ...passed(2, 'two')],
    ];
    expect(recordedResult(events, 'k')).toMatchObject({ number: 2, tree: 'two' });
  });
});

test('what the last attempt had left', () => {
  const events = [started(1), finished('k'), ...rejected(1, red, 'one'), started(2)];
  expect(lastLeft(events, 1)).toBe('one');
  expect(lastLeft(events, 2)).toBeUndefined();
});
