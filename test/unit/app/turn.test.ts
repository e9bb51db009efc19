import { describe, expect, it } from 'vitest';
import { endOfError, endOfResult } from '../../../src/app/turn.ts';
import { Interrupted, Refusal } from '../../../src/ports.ts';

const never = new AbortController().signal;

describe('the word for how a run ended', () => {
  it.each([
    [{ status: 0, why: 'done' }, 'done'],
    [{ status: 0 }, 'done'],
    [{ status: 1, why: 'failed' }, 'failed'],
    [{ status: 4, why: 'limit' }, 'stopped'],
    [{ status: 4, why: 'gate-error' }, 'stopped'],
    [{ status: 4, why: 'limit', budget: 'spent' }, 'budget'],
    [{ status: 129, why: 'interrupted' }, 'interrupted'],
  ] as const)('%o: %s', (result, event) => {
    expect(endOfResult(result)).toMatchObject({ event, status: result.status });
  });

  it.each([
    [new Refusal(2, 'no plan', 'write one'), 'refused', 2],
    [new Refusal(3, 'dirty'), 'refused', 3],
    [new Refusal(4, 'lost'), 'stopped', 4],
    [Object.assign(new Error('full'), { code: 'ENOSPC' }), 'stopped', 4],
    [Object.assign(new Error('shut'), { code: 'EACCES' }), 'stopped', 4],
    [new TypeError('undefined is no function'), 'bug', 70],
    [new Interrupted('stopped'), 'interrupted', 143],
  ])('%s: %s', (error, event, status) => {
    const signal = error instanceof Interrupted ? AbortSignal.abort(143) : never;
    expect(endOfError(error, signal)).toMatchObject({ event, status });
  });
});
