import { expect, test } from 'vitest';
import { checkpointMessage, proofText } from '../../../src/core/checkpoint.ts';
import { describeFailure } from '../../../src/core/failure.ts';
import type { GateResult } from '../../../src/core/events.ts';
import { parseProof } from '../../../src/core/proof.ts';
import { sumUsage } from '../../../src/core/usage.ts';
import { aTask } from '../../support/plans.ts';

const gate: GateResult = {
  name: 'check.sh',
  command: 'gates/check.sh',
  verdict: 'pass',
  ended: 'exit 0',
  exit: 0,
  seconds: 1.26,
  soft: false,
  digest: 'sha256:ab',
  tail: '',
  log: '',
};
const facts = {
  run: 'r1',
  task: aTask('one', { title: 'Make $& {goal} one', goal: 'It works.' }),
  attempt: 3,
  agent: 'claude',
  gates: [gate],
  gatesHash: 'sha256:cd',
};

test('the message is the title, the goal and the trailers', () => {
  expect(checkpointMessage(facts)).toEqual({
    subject: 'Make $& {goal} one',
    body: 'It works.',
    trailers: [
      ['Skeleton-Run', 'r1'],
      ['Skeleton-Task', 'one'],
      ['Skeleton-Attempt', '3'],
      ['Skeleton-Agent', 'claude'],
      ['Skeleton-Gates', 'check.sh=pass 1.3s'],
      ['Skeleton-Gates-Hash', 'sha256:cd'],
    ],
  });
});

test('a subject template is filled once: what a title holds stays text', () => {
  expect(checkpointMessage(facts, 'feat({id}): {title}').subject).toBe(
    'feat(one): Make $& {goal} one',
  );
  expect(checkpointMessage(facts, '  ').subject).toBe('one');
});

test('nothing judged is said so', () => {
  const trailers = checkpointMessage({ ...facts, gates: [] }).trailers;
  expect(trailers).toContainEqual(['Skeleton-Gates', 'none']);
  expect(JSON.parse(proofText({ ...facts, gates: [], tree: 't' }))).toMatchObject({
    judged: 'none',
  });
});

test('the proof holds each gate with command, exit, seconds and digest of its output', () => {
  expect(JSON.parse(proofText({ ...facts, tree: 't' }))).toMatchObject({
    tree: 't',
    judged: 'in-place',
    gates: [{ name: 'check.sh', command: 'gates/check.sh', exit: 0, output: 'sha256:ab' }],
  });
});

test('a failure is one line, however many paths it names', () => {
  const paths = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(describeFailure({ kind: 'tampered', paths })).toBe(
    'the attempt changed what judges it: a, b, c, d, e and 2 more',
  );
  expect(describeFailure({ kind: 'gate-failed', gates: ['t.sh', 'l.sh'] })).toBe(
    'rejected by t.sh, l.sh',
  );
  expect(describeFailure({ kind: 'agent-error', detail: 'exit 3' })).toBe(
    'the agent failed (exit 3)',
  );
});

test('what the agent took is in trailers and proof, as far as it is known', () => {
  const trailersOf = (...steps: Parameters<typeof sumUsage>[0]) =>
    checkpointMessage({ ...facts, usage: sumUsage(steps) }).trailers.slice(6);
  const step = { input: 1200, output: 80, usd: 0.05 };
  expect(trailersOf(step)).toEqual([
    ['Skeleton-Tokens', '1200 in, 80 out'],
    ['Skeleton-Cost', '$0.05'],
  ]);
  expect(trailersOf(step, { input: 1, output: 1 })).toEqual([
    ['Skeleton-Tokens', '1201 in, 81 out'],
    ['Skeleton-Cost', 'at least $0.05'],
  ]);
  expect(trailersOf({})).toEqual([]);
  const text = proofText({ ...facts, tree: 't', usage: sumUsage([step]) });
  expect(JSON.parse(text)).toMatchObject({ usage: step });
  expect(parseProof(text)).toMatchObject({ task: 'one', judged: 'in-place' });
});
