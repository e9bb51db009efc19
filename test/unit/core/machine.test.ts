import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TaskEvent } from '../../../src/core/events.ts';
import {
  decide,
  evolve,
  initial,
  isUnderWay,
  replay,
  type State,
} from '../../../src/core/machine.ts';

type Started = Extract<TaskEvent, { type: 'attempt.started' }>;
const started = (number: number, attempt: number, attempts = 5): Started => ({
  type: 'attempt.started',
  number,
  attempt,
  attempts,
  base: 'b'.repeat(40),
  agent: 'command',
  token: `t${number}`,
  worktree: 'w',
});
const snapshot = { ref: 'refs/skeleton/attempts/plan/t/1', commit: 'c'.repeat(40) };
const finished: TaskEvent = {
  type: 'agent.finished',
  seconds: 1,
  ended: 'exit 0',
  exit: 0,
  log: '',
};
const passed: TaskEvent = {
  type: 'gates.passed',
  commit: 'd'.repeat(40),
  tag: 'refs/tags/skeleton/plan/0001-t',
  proof: 'refs/skeleton/proof/plan/0001',
  proofObject: 'e'.repeat(40),
  gates: [],
};
const created: TaskEvent = {
  type: 'checkpoint.created',
  tag: 'refs/tags/skeleton/plan/0001-t',
  commit: 'd'.repeat(40),
};
const rejected: TaskEvent = { type: 'attempt.rejected', failure: { kind: 'no-change' } };
const rolledBack: TaskEvent = { type: 'rollback.done', snapshot };
const voided = (why: 'interrupted' | 'gate-error' | 'throttled'): TaskEvent => ({
  type: 'attempt.voided',
  why,
  ...(why === 'throttled' && { until: '2026-01-01T00:00:00.000Z' }),
});

describe('a task that passes', () => {
  test('goes pending, running, gating, checkpointing, passed, an effect each', () => {
    const steps: TaskEvent[] = [started(1, 1), finished, passed, created];
    const effects = steps.map((_, done) => decide(replay(steps.slice(0, done))));
    expect(effects).toEqual(['start-attempt', 'run-agent', 'run-gates', 'create-checkpoint']);
    const end = replay(steps);
    expect(end).toMatchObject({ phase: 'passed', commit: 'd'.repeat(40) });
    expect(decide(end)).toBeUndefined();
  });
});

describe('a task that is rejected', () => {
  test('is rolled back, then tried again with what it died of', () => {
    const state = replay([started(1, 1), finished, rejected, rolledBack]);
    expect(state).toEqual({
      phase: 'pending',
      charged: 1,
      number: 1,
      lastFailure: { failure: { kind: 'no-change' }, number: 1 },
    });
  });

  test('fails after the last attempt, and five is the last', () => {
    const five = [1, 2, 3, 4, 5].flatMap((n) => [started(n, n), rejected, rolledBack]);
    expect(replay(five.slice(0, -3)).phase).toBe('pending');
    expect(replay(five).phase).toBe('failed');
    expect(decide(replay(five))).toBeUndefined();
  });

  test('begins anew at 1 when a person starts a run after it failed, and numbers go on', () => {
    const events = [started(1, 1, 1), rejected, rolledBack];
    const again = evolve(replay(events), { type: 'task.reopened', anew: true });
    expect(again).toEqual({ phase: 'pending', charged: 0, number: 1 });
    expect(() => evolve(again, started(1, 1))).toThrow(/attempt 1 after 1/);
    expect(evolve(again, started(2, 1)).phase).toBe('running');
  });
});

describe('an attempt that is void', () => {
  test.each(['interrupted', 'gate-error'] as const)('%s costs nothing and stops', (why) => {
    const state = replay([started(1, 1), finished, voided(why), rolledBack]);
    expect(state).toMatchObject({ phase: 'stopped', why, charged: 0, number: 1 });
    expect(decide(state)).toBeUndefined();
  });

  test('by a gate error is judged again on resume, without the agent', () => {
    const stopped = replay([started(1, 1), finished, voided('gate-error'), rolledBack]);
    const resumed = evolve(stopped, { type: 'task.reopened', anew: false });
    expect(resumed).toMatchObject({ phase: 'pending', judge: snapshot });
    const judging = evolve(resumed, { ...started(2, 1), judge: snapshot });
    expect(decide(judging)).toBe('run-gates');
  });

  test('by a rate limit waits, then tries again', () => {
    const waiting = replay([started(1, 1), voided('throttled'), rolledBack]);
    expect(decide(waiting)).toBe('wait');
    expect(evolve(waiting, { type: 'wait.over' })).toMatchObject({ phase: 'pending', charged: 0 });
  });
});

test('an impossible event throws', () => {
  expect(() => evolve(initial, created)).toThrow(/impossible event in phase pending/);
  expect(() => replay([started(1, 1), started(2, 2)])).toThrow(/impossible/);
  expect(() => replay([started(1, 1), finished, finished])).toThrow(/impossible/);
});

test('any luck ends in at most five charged attempts, each undone or checkpointed', () => {
  const luck = fc.array(fc.constantFrom('pass', 'reject', 'interrupt', 'gate-error', 'throttle'), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(luck, fc.integer({ min: 1, max: 5 }), (draws, attempts) => {
      let state: State = initial;
      const left = [...draws];
      for (let guard = 0; guard < 1000; guard++) {
        const events = next(state, left, attempts);
        if (events.length === 0) break;
        for (const event of events) state = evolve(state, event);
        expect(state.charged).toBeLessThanOrEqual(attempts);
      }
      expect(isUnderWay(state)).toBe(false);
    }),
  );
});

function next(state: State, luck: string[], attempts: number): TaskEvent[] {
  if (state.phase === 'waiting') return [{ type: 'wait.over' }];
  if (state.phase === 'stopped') return [{ type: 'task.reopened', anew: false }];
  if (state.phase !== 'pending') return [];
  const draw = luck.shift();
  if (draw === undefined) return [];
  const start = started(state.number + 1, state.charged + 1, attempts);
  const ends: Record<string, TaskEvent[]> = {
    pass: [finished, passed, created],
    reject: [finished, rejected, rolledBack],
    interrupt: [voided('interrupted'), rolledBack],
    'gate-error': [finished, voided('gate-error'), rolledBack],
    throttle: [voided('throttled'), rolledBack],
  };
  const rest = ends[draw] ?? [];
  if (!('judge' in state)) return [start, ...rest];
  return [{ ...start, judge: state.judge }, ...rest.filter((event) => event !== finished)];
}
