import { describe, expect, it } from 'vitest';
import { letIn, nextAgent, turnAway, type Limits } from '../../../src/core/limits.ts';

const none: Limits = new Map();
const MINUTE = 60_000;

describe('an agent that was turned away', () => {
  it('waits until the time that its provider names', () => {
    const limits = turnAway(none, 'a', { now: 1000, until: 9000 });
    expect(nextAgent(['a'], limits, 5000)).toEqual({ until: 9000 });
    expect(nextAgent(['a'], limits, 9000)).toEqual({ agent: 'a' });
  });

  it('without a time waits a minute, then twice as long each time, at most an hour', () => {
    let limits = none;
    const pauses = Array.from({ length: 9 }, () => {
      limits = turnAway(limits, 'a', { now: 0 });
      return (limits.get('a')?.until ?? 0) / MINUTE;
    });
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(turnAway(letIn(limits, 'a'), 'a', { now: 0 }).get('a')?.until).toBe(MINUTE);
  });

  it('asks again soon after a time that has passed, and ever later', () => {
    expect(turnAway(none, 'a', { now: 5000, until: 4000 }).get('a')?.until).toBe(6000);
  });

  it('is followed by the next, and comes back first', () => {
    const limits = turnAway(none, 'a', { now: 0, until: 5000 });
    expect(nextAgent(['a', 'b'], limits, 1000)).toEqual({ agent: 'b' });
    expect(nextAgent(['a', 'b'], limits, 6000)).toEqual({ agent: 'a' });
    const both = turnAway(limits, 'b', { now: 1000, until: 3000 });
    expect(nextAgent(['a', 'b'], both, 1000)).toEqual({ until: 3000 });
  });
});
