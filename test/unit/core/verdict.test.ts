import { expect, test } from 'vitest';
import type { GateResult, Verdict } from '../../../src/core/events.ts';
import { judgementOf } from '../../../src/core/verdict.ts';

const result = (name: string, verdict: Verdict, soft = false): GateResult => ({
  name,
  command: name,
  verdict,
  ended: '',
  exit: null,
  seconds: 0,
  soft,
  digest: '',
  tail: '',
  log: '',
});

test('one hard pass and no hard rejection passes', () => {
  const results = [result('a', 'pass'), result('b', 'skipped'), result('c', 'fail', true)];
  expect(judgementOf(results)).toEqual({ verdict: 'pass' });
});

test('every hard rejection is named, a timeout too, and beats an error', () => {
  const results = [result('a', 'fail'), result('b', 'error'), result('c', 'timeout')];
  expect(judgementOf(results)).toEqual({
    verdict: 'fail',
    failure: { kind: 'gate-failed', gates: ['a', 'c'] },
  });
});

test('an error leaves it open, even beside a pass', () => {
  expect(judgementOf([result('a', 'pass'), result('b', 'error')])).toEqual({
    verdict: 'error',
    gates: ['b'],
  });
});

test.each([[[]], [[result('a', 'skipped')]], [[result('a', 'pass', true)]]])(
  'nothing that counts is ungated, never a pass: %j',
  (results) => {
    expect(judgementOf(results)).toMatchObject({ failure: { kind: 'ungated' } });
  },
);
