import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../../src/core/events.ts';
import { limitsIn, spellLimited, waitIn } from '../../../src/core/waiting.ts';
import { attemptStarted } from '../../support/history.ts';

const at = (hour: number): string => `2026-01-01T0${hour}:00:00.000Z`;
const started = attemptStarted(1) as TaskEvent;
const away = (agent: string, hour: number): TaskEvent => {
  return { type: 'agent.throttled', agent, until: at(hour), why: 'limit' };
};
const voided = (hour?: number): TaskEvent => {
  return {
    type: 'attempt.voided',
    why: 'throttled',
    ...(hour !== undefined && { until: at(hour) }),
  };
};
const back: TaskEvent = { type: 'rollback.done', snapshot: { ref: '', commit: '' } };
const claude = { agent: 'claude', until: at(3), why: 'limit' };

describe('what a task waits for', () => {
  it.each<[string, readonly TaskEvent[], unknown]>([
    ['a limit that ended its attempt', [started, away('claude', 3), voided(3), back], claude],
    [
      'one of whoever is asked first',
      [started, away('x', 4), voided(), back, away('claude', 3)],
      claude,
    ],
    ['one that is known before an attempt', [away('claude', 3)], claude],
    ['nothing: another goes on', [started, away('claude', 3), voided(), back], undefined],
    ['nothing: another is at work', [started, away('x', 3), voided(), back, started], undefined],
    [
      'nothing: it is over',
      [started, away('x', 3), voided(3), back, { type: 'wait.over' }],
      undefined,
    ],
    [
      'nothing yet: its attempt is to be rolled back',
      [started, away('x', 3), voided(3)],
      undefined,
    ],
    ['nothing: rejected', [away('x', 3), { type: 'wait.over' }, started, back], undefined],
  ])('%s', (_, events, wait) => {
    expect(waitIn(events)).toEqual(wait);
  });
});

it('of each agent the last limit is known', () => {
  const events = [
    away('x', 1),
    away('claude', 2),
    { type: 'agent.throttled', until: at(9) },
  ] as const;
  expect(limitsIn([...events, away('claude', 3)])).toEqual([
    { agent: 'x', until: at(1), why: 'limit' },
    claude,
  ]);
});

it.each([
  [{}, 'a is rate limited until 9'],
  [{ own: true }, 'a is rate limited, and is asked again at 9'],
  [{ why: 'overload' }, 'a is overloaded or cannot be reached, and is asked again at 9'],
] as const)('%o: %s', (more, words) => {
  expect(spellLimited({ agent: 'a', until: at(9), ...more }, '9')).toBe(words);
});
