import { describe, expect, it } from 'vitest';
import { measurable, reached, unmeasured } from '../../../src/core/budget.ts';
import { addUsage, spellUsage } from '../../../src/core/usage.ts';

describe('a budget', () => {
  const usage = { input: 1000, output: 50, usd: 0.4 };
  const spent = { attempt: usage, task: usage, run: usage };

  it.each([
    [{ usd: 0.4 }, "the run's budget of $0.40 is reached: $0.40 spent"],
    [{ usd: 0.5 }, undefined],
    [{ tokens: 1050, per: 'task' }, "the task's budget of 1.1k tokens is reached: 1.1k used"],
    [{ tokens: 1051, per: 'attempt' }, undefined],
    [{ usd: 9, tokens: 10 }, "the run's budget of 10 tokens is reached: 1.1k used"],
  ] as const)('%o', (budget, words) => {
    expect(reached(budget, spent)).toBe(words);
  });

  it('reached to the cent is reached, whatever floats make of the sum', () => {
    const usd = 0.7 + 0.1;
    expect(usd).toBeLessThan(0.8);
    expect(reached({ usd: 0.8 }, { ...spent, run: { usd } })).toBeDefined();
    expect(reached({ usd: 0.8 }, { ...spent, run: { usd: 0.799_99 } })).toBeUndefined();
  });

  it('counts per span', () => {
    const next = { ...spent, attempt: {} };
    expect(reached({ usd: 0.1, per: 'attempt' }, next)).toBeUndefined();
    expect(reached({ usd: 0.1, per: 'task' }, next)).toBeDefined();
  });

  it.each([
    [{ usd: 5 }, { tokens: true, usd: false }, /does not report what it costs.*tokens.*max_time/],
    [{ usd: 5 }, { tokens: false, usd: false }, /does not report what it costs.*max_time/],
    [{ tokens: 5 }, { tokens: false, usd: false }, /does not report its tokens.*max_time/],
  ])('%o cannot be kept by an agent that reports %o', (budget, reports, words) => {
    expect(unmeasured(budget, { name: 'codex', reports })).toMatch(words);
  });

  it('in tokens is not advised to an agent that does not report them', () => {
    const [counted, silent] = [true, false].map((tokens) => ({ reports: { tokens } }));
    if (counted === undefined || silent === undefined) throw new Error('two agents');
    expect(measurable([counted])).toContain('tokens: 2M');
    expect(measurable([counted, silent])).toBe('max_time: 4h');
  });

  it('can be kept by one that reports it', () => {
    const reports = { tokens: true, usd: true };
    expect(unmeasured({ usd: 5, tokens: 5 }, { name: 'claude', reports })).toBeUndefined();
  });
});

describe('usage', () => {
  it('leaves unknown what nobody reported', () => {
    expect(addUsage({ input: 1 }, { output: 2 })).toEqual({ input: 1, output: 2 });
    expect(spellUsage({})).toBe('');
    expect(spellUsage({ input: 12_000, output: 340, usd: 0.0012 })).toBe('12.3k tokens, $0.001');
  });
});
