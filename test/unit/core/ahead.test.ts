import { describe, expect, test } from 'vitest';
import { aheadWork, broughtIn, wasSentBack } from '../../../src/core/ahead.ts';
import type { GateResult, TaskEvent } from '../../../src/core/events.ts';
import { replay } from '../../../src/core/machine.ts';

const gate: GateResult = {
  ...{ name: 'check', command: 'gates/check.sh', soft: false, verdict: 'pass' },
  ...{ ended: 'exit 0', exit: 0, seconds: 1, digest: 'sha256:0', tail: '', log: '' },
};

function begun(number: number, more: object = {}): TaskEvent {
  return {
    ...{ type: 'attempt.started', number, attempt: 1, attempts: 5, base: 'c0' },
    ...{ agent: 'claude', model: 'opus', token: `t${number}`, worktree: 'w' },
    ...more,
  };
}

const kept = { ref: 'refs/skeleton/attempts/plan/a/1', commit: 's1' };
const judged = { tree: 'tree', gatesHash: 'sha256:1' };
const finished: TaskEvent = {
  ...{ type: 'agent.finished', seconds: 1, ended: 'exit 0', exit: 0, log: '' },
};
const ahead: readonly TaskEvent[] = [
  begun(1),
  finished,
  { type: 'gate.finished', ...gate },
  { type: 'attempt.voided', why: 'ahead', judged },
  { type: 'rollback.done', snapshot: kept },
];
const brought = begun(2, { judge: kept });
const failure = { kind: 'conflict', paths: ['a.txt'] } as const;
const sentBack: readonly TaskEvent[] = [
  { type: 'attempt.voided', why: 'sent-back', failure },
  { type: 'rollback.done', snapshot: { ref: 'r', commit: 's2' } },
];

describe('work that passed ahead of its turn', () => {
  test('waits with what its gates said, and costs no attempt', () => {
    const state = replay(ahead);
    expect(state).toMatchObject({ phase: 'pending', judge: kept, charged: 0, number: 1 });
    expect(aheadWork(ahead, kept)).toEqual({
      ...{ snapshot: kept, agent: 'claude', model: 'opus', judged },
      gates: [gate],
    });
  });

  test('is not just any kept work', () => {
    const error: readonly TaskEvent[] = [
      ...ahead.slice(0, 3),
      { type: 'attempt.voided', why: 'gate-error' },
      { type: 'rollback.done', snapshot: kept },
    ];
    expect(aheadWork(error, kept)).toBeUndefined();
    expect(aheadWork(ahead, { ...kept, commit: 'other' })).toBeUndefined();
    expect(aheadWork(ahead, undefined)).toBeUndefined();
  });

  test('is what the attempt at its turn brings in', () => {
    expect(broughtIn(ahead)).toBeUndefined();
    expect(broughtIn([...ahead, brought])?.snapshot).toEqual(kept);
  });

  test.each(['interrupted', 'over-budget', 'gate-error'] as const)(
    'waits on where its turn was cut off: %s',
    (why) => {
      const cut: readonly TaskEvent[] = [
        ...ahead,
        brought,
        { type: 'attempt.voided', why },
        { type: 'rollback.done', snapshot: { ref: 'r', commit: 's2' } },
      ];
      expect(replay(cut)).toMatchObject({ phase: 'stopped', judge: kept, charged: 0 });
      const resumed = replay([...cut, { type: 'task.reopened', anew: false }]);
      expect(resumed).toMatchObject({ phase: 'pending', judge: kept });
    },
  );

  test('sent back, begins anew with what was wrong; the first time is free', () => {
    const state = replay([...ahead, brought, ...sentBack]);
    expect(state).toMatchObject({
      phase: 'pending',
      charged: 0,
      lastFailure: { failure, number: 2 },
    });
    expect(state).not.toHaveProperty('judge');
    expect(wasSentBack([...ahead, brought])).toBe(false);
    expect(wasSentBack([...ahead, brought, ...sentBack])).toBe(true);
    const anew: TaskEvent = { type: 'task.reopened', anew: true };
    expect(wasSentBack([...ahead, brought, ...sentBack, anew])).toBe(false);
  });
});
