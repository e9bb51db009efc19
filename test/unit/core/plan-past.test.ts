import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Event, Recorded } from '../../../src/core/events.ts';
import { pastOf, pastWith, withoutGates, type PlanPast } from '../../../src/core/plan-past.ts';
import { summarise, summaryOf, type PlannedTask } from '../../../src/core/summary.ts';
import { statusData } from '../../../src/report/status.ts';
import { agentFinished, attemptStarted, gate, gateFinished } from '../../support/history.ts';
import { record, red, runFinished, runStarted, type Entry } from '../../support/history.ts';
import { recordedEvents } from '../../support/recorded-run.ts';

const commit = fc.constantFrom('c1', 'c2', 'c3');
const taskEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.constantFrom<Event>(
    { type: 'task.started', title: 'Now', line: 3 },
    { type: 'task.started', title: 'Later', line: 4 },
    agentFinished,
    gateFinished(red),
    { type: 'attempt.rejected', failure: { kind: 'gate-failed', gates: ['check.sh'] } },
    { type: 'attempt.voided', why: 'throttled', until: '2026-01-01T01:00:00.000Z' },
    { type: 'rollback.done', snapshot: { ref: 'refs/skeleton/attempts/plan/a/1', commit: 's' } },
    { type: 'agent.throttled', until: '2026-01-01T02:00:00.000Z', agent: 'sh', own: true },
    { type: 'wait.over' },
    { type: 'task.reopened', anew: true },
    { type: 'task.finished', state: 'passed' },
    { type: 'task.finished', state: 'blocked', why: 'waits for a' },
    { type: 'task.finished', state: 'stopped', why: 'budget' },
    { type: 'notice', message: 'half a pair \ud800, a NUL \0' },
  ),
  fc.nat(9).map((number) => attemptStarted(number)),
  fc
    .record({ input: fc.nat(), usd: fc.double({ min: 0, max: 1, noNaN: true }) })
    .map((usage) => ({ ...agentFinished, usage }) as Event),
  fc
    .record({ commit, rebuilt: fc.boolean(), judged: fc.boolean() })
    .map(({ commit: passed, rebuilt, judged }): Event => ({
      ...{ type: 'gates.passed', commit: passed, tag: `tag-${passed}`, proof: `proof-${passed}` },
      ...{ proofObject: 'p', gates: judged ? [gate()] : [], ...(rebuilt && { rebuilt }) },
    })),
  fc
    .record({ commit, type: fc.constantFrom('checkpoint.created', 'checkpoint.verified') })
    .map((event): Event => ({ ...event, tag: `tag-${event.commit}` })),
);
const runEvent = fc.constantFrom<Event>(runStarted(), runFinished(), {
  type: 'notice',
  message: 'of the run',
});
const run = fc.constantFrom('run-1', 'run-2', 'run-3', 'run-4');
const entry: fc.Arbitrary<Entry> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ task: fc.constantFrom('a', 'b', 'c'), event: taskEvent, run }),
  },
  { weight: 1, arbitrary: fc.record({ task: fc.constant(''), event: runEvent, run }) },
);
const inTurn = fc
  .array(entry, { maxLength: 40 })
  .map((entries) => entries.toSorted((a, b) => ((a.run ?? '') < (b.run ?? '') ? -1 : 1)));

const planned: readonly PlannedTask[] = [
  { id: 'b', title: 'B', state: 'done', needs: [], line: 1 },
  { id: 'a', title: 'A', state: 'pending', needs: ['b'], line: 2 },
];

it('folds on from any point to what the whole history folds to', () => {
  let folds = 0;
  const check = (events: readonly Recorded[]): void => {
    for (const at of [...events.keys(), events.length]) folds += checkAt(events, at);
  };
  fc.assert(
    fc.property(fc.oneof(inTurn, fc.array(entry, { maxLength: 15 })), (entries) => {
      check(record(entries));
    }),
    { numRuns: 150 },
  );
  check(recordedEvents);
  expect(folds).toBeGreaterThan(300);
});

/** Gives 1 where it was folded on. */
function checkAt(events: readonly Recorded[], at: number): number {
  const since = events.slice(at);
  const touched = new Set(since.map(({ task }) => task).filter((task) => task !== ''));
  const earlier = events.slice(0, at).filter(({ task }) => touched.has(task));
  const kept = JSON.parse(JSON.stringify(withoutGates(pastOf(events.slice(0, at))))) as PlanPast;
  const past = pastWith(kept, { earlier, since });
  const isWrittenOn = since.some((one) => kept.writers.includes(one.run));
  expect(past === undefined).toBe(isWrittenOn);
  if (past === undefined) return 0;
  expect(withoutGates(past)).toEqual(withoutGates(pastOf(events)));
  for (const plan of [undefined, planned]) {
    const told = [summaryOf(plan, past), summarise(plan, events)].map((summary) => {
      const facts = { planPath: 'PLAN.md', head: undefined, problems: 0, planOption: '', now: '' };
      return JSON.stringify(statusData({ ...facts, summary }));
    });
    expect(told[0]).toBe(told[1]);
  }
  return 1;
}
