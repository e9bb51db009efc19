import { describe, expect, test } from 'vitest';
import { replay, type Ended } from '../../../src/core/machine.ts';
import { inOrder, rebuild } from '../../../src/core/rebuild.ts';
import { snapshotTrailers } from '../../../src/core/snapshot-words.ts';
import { isOfTask } from '../../../src/core/history.ts';
import { summarise } from '../../../src/core/summary.ts';
import type {
  AttemptTrace,
  CheckpointTrace,
  OpenTrace,
  PlanTraces,
} from '../../../src/core/traces.ts';
import type { Recorded } from '../../../src/core/events.ts';
import { record, rejected } from '../../support/history.ts';

const nothing: PlanTraces = { attempts: [], checkpoints: [], starts: [], open: [] };
const base = 'a'.repeat(40);
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const factsOf = (attempt: number, run = 'run-1') => {
  return { run, planPath: 'PLAN.md', attempt, attempts: 5, agent: 'sh', token: 'token' };
};
const red: Ended = { how: 'rejected', failure: { kind: 'gate-failed', gates: ['check.sh'] } };

function kept(number: number, attempt = number, ended: Ended | undefined = red): AttemptTrace {
  const ref = `refs/skeleton/attempts/plan/a/${number}`;
  const trailers = new Map(snapshotTrailers('a', factsOf(attempt), ended));
  return { ref, commit: 'd'.repeat(40), task: 'a', number, base, at: at(number), trailers };
}

function open(number: number, changes: Partial<OpenTrace> = {}): OpenTrace {
  const facts = factsOf(number, 'run-2');
  const place = { worktree: 'main', plan: 'plan', planPath: 'PLAN.md', base, at: at(number) };
  return { ...place, id: 'a', number, facts, hasBegun: true, isTaken: false, ...changes };
}

function passed(number: number, changes: Partial<CheckpointTrace> = {}): CheckpointTrace {
  const proof = { schema: 1, task: 'a', number, tree: 't', judged: 'in-place', gatesHash: 'h' };
  return {
    number: 1,
    tag: 'refs/tags/skeleton/plan/0001-a',
    commit: 'c'.repeat(40),
    proof: {
      ref: 'refs/skeleton/proof/plan/0001',
      object: 'e'.repeat(40),
      text: JSON.stringify({ ...proof, base, gates: [] }),
    },
    parent: base,
    tree: 't',
    at: at(number),
    trailers: new Map([['Skeleton-Task', 'a']]),
    ...changes,
  };
}

function rebuilt(traces: Partial<PlanTraces>, history: readonly Recorded[] = []) {
  const telling = { plan: 'plan', planPath: 'PLAN.md', history };
  const { entries, ...rest } = rebuild({ ...telling, traces: { ...nothing, ...traces } });
  const events = [...history, ...inOrder('plan', entries)];
  const ofTask = events.filter(isOfTask).map(({ event }) => event);
  return { ...rest, events, state: replay(ofTask), summary: summarise(undefined, events) };
}

const voided: Ended = { how: 'voided', why: 'interrupted' };

describe('a history that is rebuilt from git', () => {
  test('of nothing is empty', () => {
    expect(rebuilt({}).events).toEqual([]);
  });

  test.each<[string, Partial<PlanTraces>, object]>([
    [
      'three rejections leave two',
      { attempts: [kept(1), kept(2), kept(3)] },
      { phase: 'pending', charged: 3, number: 3 },
    ],
    [
      'what did not count does not',
      { attempts: [kept(1), kept(2, 2, voided)] },
      { phase: 'stopped', charged: 1, number: 2 },
    ],
    [
      'of a snapshot that is gone the count tells',
      { attempts: [kept(4)] },
      { phase: 'pending', charged: 4, number: 4 },
    ],
    [
      'five are five',
      { attempts: [1, 2, 3, 4, 5].map((one) => kept(one)) },
      { phase: 'failed', charged: 5 },
    ],
    [
      'a task begun anew counts from one',
      { attempts: [...[1, 2, 3, 4, 5].map((one) => kept(one)), kept(6, 1)] },
      { phase: 'pending', charged: 1, number: 6 },
    ],
    [
      'one under way is under way',
      { attempts: [kept(1)], open: [open(2)] },
      { phase: 'running', charged: 2, number: 2, token: 'token' },
    ],
    [
      'one that was being rolled back too',
      { attempts: [kept(1), kept(2, 2, voided)], open: [open(2)] },
      { phase: 'rolling-back', ended: voided },
    ],
    [
      'what passed passed',
      { attempts: [kept(1)], checkpoints: [passed(2)] },
      { phase: 'passed', number: 2 },
    ],
    [
      'what an attempt under way may have forged is not believed',
      { checkpoints: [passed(1)], open: [open(1)] },
      { phase: 'running', number: 1, charged: 1 },
    ],
    [
      'nor what it forged of attempts to come',
      { checkpoints: [passed(3)], attempts: [kept(2), kept(4)], open: [open(2)] },
      { phase: 'rolling-back', number: 2, charged: 2 },
    ],
    [
      'what came before it is',
      { attempts: [kept(1)], open: [open(2)] },
      { phase: 'running', number: 2, charged: 2 },
    ],
    [
      'one that had not begun does not count',
      { attempts: [kept(1)], open: [open(2, { hasBegun: false })] },
      { phase: 'rolling-back', ended: voided },
    ],
  ])('%s', (_, traces, state) => {
    expect(rebuilt(traces).state).toMatchObject(state);
  });

  test('what passed is unproven', () => {
    expect(rebuilt({ checkpoints: [passed(1)] }).summary.tasks).toMatchObject([
      { id: 'a', state: 'unproven', checkpoint: { tag: 'refs/tags/skeleton/plan/0001-a' } },
    ]);
  });

  test.each<[string, Partial<CheckpointTrace>]>([
    ['names another task', { tag: 'refs/tags/skeleton/plan/0001-b' }],
    ['is of no checkpoint of ours', { trailers: new Map() }],
    ['has no proof', { proof: undefined }],
    ['has the proof of another tree', { tree: 'another' }],
    [
      'is gone, and whose proof is of another task',
      { tag: undefined, trailers: new Map([['Skeleton-Task', 'b']]) },
    ],
  ])('a tag that %s is none', (_, changes) => {
    expect(rebuilt({ checkpoints: [passed(1, changes)] }).events).toEqual([]);
  });

  test('only a person begins a task anew that has failed: its run has ended', () => {
    const { events } = rebuilt({ attempts: [1, 2, 3, 4, 5].map((one) => kept(one)) });
    expect(events.at(-1)?.event).toMatchObject({ type: 'run.finished', status: 1 });
  });

  test('where the ledger knows the plan, only what is news is told', () => {
    const history = record(rejected('a', 1));
    expect(rebuilt({ attempts: [kept(1)] }, history).events).toEqual(history);
    expect(rebuilt({ attempts: [kept(2)] }, history).state).toMatchObject({
      charged: 2,
      number: 2,
    });
    expect(rebuilt({ open: [open(2, { hasBegun: false })] }, history).events).toEqual(history);
    expect(rebuilt({ checkpoints: [passed(2, { proof: undefined })] }, history).events).toEqual(
      history,
    );
  });

  test('an attempt that the ledger left under way ends as its snapshot says', () => {
    const history = record(rejected('a', 1).slice(0, 2));
    const { state } = rebuilt({ attempts: [kept(1, 1, voided), kept(2, 1)] }, history);
    expect(state).toMatchObject({ phase: 'pending', charged: 1, number: 2 });
  });

  test('numbers are not used twice', () => {
    const start = { ref: 'refs/tags/skeleton/plan/0003-start', number: 3, commit: base };
    expect(rebuilt({ checkpoints: [passed(1)], starts: [start] }).highest).toBe(3);
  });
});
