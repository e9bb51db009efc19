import { expect, test } from 'vitest';
import type { Event, TaskEvent } from '../../../src/core/events.ts';
import { spentOn } from '../../../src/core/spending.ts';
import { attemptsOf, summarise } from '../../../src/core/summary.ts';
import { spellSum, sumUsage, type Usage } from '../../../src/core/usage.ts';
import { agentFinished, attemptStarted, ofRun, record, runStarted } from '../../support/history.ts';

const anew: TaskEvent = { type: 'task.reopened', anew: true };
const snapshot = { ref: 'refs/skeleton/attempts/plan/a/1', commit: 'd'.repeat(40) };

function step(number: number, usage?: Usage): readonly TaskEvent[] {
  const end = { ...agentFinished, ...(usage && { usage }) };
  return [attemptStarted(number), end] as readonly TaskEvent[];
}

const judgedAgain = { ...attemptStarted(9), judge: snapshot } as TaskEvent;
const byHand = [
  attemptStarted(8),
  { ...agentFinished, ended: 'by hand', log: '' },
] as readonly TaskEvent[];
const fromGit = [
  attemptStarted(8),
  { ...agentFinished, ended: 'not known', log: '' },
] as readonly TaskEvent[];

test('a task is what its attempts took since it was begun anew', () => {
  const events = [
    ...step(1, { input: 1000, output: 1000, usd: 9 }),
    anew,
    ...step(2, { input: 5, usd: 0.5 }),
    { type: 'task.reopened', anew: false } as const,
    ...step(3, { input: 7, output: 1, usd: 0.25 }),
  ];
  expect(spentOn(events)).toEqual({
    ...{ input: 12, output: 1, usd: 0.75, steps: 2 },
    unknown: { tokens: 0, usd: 0 },
  });
});

test.each<[string, readonly TaskEvent[], string]>([
  ['reported by none', [...step(1), ...step(2)], 'cost unknown'],
  ['tokens only', step(1, { input: 1200, output: 80 }), '1.3k tokens, cost unknown'],
  [
    'reported by one of two',
    [...step(1, { input: 9, usd: 1 }), ...step(2)],
    'at least 9 tokens, at least $1.00',
  ],
  [
    'a step that died',
    [...step(1, { input: 9, usd: 1 }), attemptStarted(2) as TaskEvent],
    'at least 9 tokens, at least $1.00',
  ],
  [
    'ended too early',
    step(1, { input: 9, usd: 1, atLeast: true }),
    'at least 9 tokens, at least $1.00',
  ],
  ['only judged again', [...step(1, { input: 9, usd: 1 }), judgedAgain], '9 tokens, $1.00'],
  ['by a person, or replayed', byHand, ''],
  ['that git alone tells of', fromGit, 'cost unknown'],
])('%s', (_, events, words) => {
  expect(spellSum(spentOn(events))).toBe(words);
});

test('a summary has it by attempt, task and run', () => {
  const of = (task: string, run: string, events: readonly Event[]) =>
    events.map((event) => ({ task, run, event }));
  const summary = summarise(
    undefined,
    record([
      { ...ofRun(runStarted()), run: 'r1' },
      ...of('a', 'r1', step(1, { input: 1, usd: 1 })),
      ...of('b', 'r1', step(1, { input: 2 })),
      { ...ofRun(runStarted()), run: 'r2' },
      ...of('a', 'r2', step(2, { input: 4, usd: 2 })),
    ]),
  );
  const one: Usage[] = [{ input: 1, usd: 1 }];
  expect(attemptsOf(summary).map(({ usage }) => usage)).toEqual([
    ...one,
    { input: 2 },
    { input: 4, usd: 2 },
  ]);
  expect(summary.tasks.map(({ usage }) => spellSum(usage))).toEqual([
    '5 tokens, $3.00',
    '2 tokens, cost unknown',
  ]);
  expect(summary.runs.map(({ usage }) => spellSum(usage))).toEqual([
    '3 tokens, at least $1.00',
    '4 tokens, $2.00',
  ]);
  expect(summary.usage).toMatchObject({ input: 7, usd: 3, steps: 3, unknown: { usd: 1 } });
});

test('nothing is the sum of nothing', () => {
  expect(sumUsage([])).toEqual({ steps: 0, unknown: { tokens: 0, usd: 0 } });
});
