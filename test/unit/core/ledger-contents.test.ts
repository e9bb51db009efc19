import { describe, expect, it } from 'vitest';
import { mergeContents, type LedgerContents } from '../../../src/core/ledger-contents.ts';
import { begun, passed, record, rejected } from '../../support/history.ts';

const history = record([...rejected('a'), ...begun('b'), ...passed('a', 2)]);

function contents(
  events: LedgerContents['events'],
  { highest = 0, path = 'PLAN.md' } = {},
): LedgerContents {
  const known = { tree: 'tree', gatesHash: 'gates', verdict: 'pass' } as const;
  return { plans: [{ slug: 'plan', path, highest }], events, verdicts: [known] };
}

const empty: LedgerContents = { plans: [], events: [], verdicts: [] };

describe('what a ledger lacks', () => {
  it('is everything, where it holds nothing', () => {
    const whole = contents(history);
    const plans = [{ plan: 'plan', copied: history.length, there: 0 }];
    expect(mergeContents(whole, empty)).toEqual({ kind: 'merged', missing: whole, plans });
  });

  it('is nothing, where it holds the same', () => {
    const plans = [{ plan: 'plan', copied: 0, there: history.length }];
    const merged = mergeContents(contents(history), contents(history));
    expect(merged).toEqual({ kind: 'merged', missing: empty, plans });
  });

  it('is the rest, where it holds the beginning, wherever that ends', () => {
    for (const end of history.keys()) {
      const merged = mergeContents(contents(history), contents(history.slice(0, end)));
      if (merged.kind !== 'merged') throw new Error(merged.kind);
      expect(merged.missing.events).toEqual(history.slice(end));
    }
  });

  it('cannot be told where a history has gone another way, not even by a second or a run', () => {
    for (const change of [{ at: '2026-02-02T00:00:00.000Z' }, { run: 'other' }, { task: 'c' }])
      for (const at of history.keys()) {
        const other = history.map((event, index) =>
          index === at ? { ...event, ...change } : event,
        );
        const merged = mergeContents(contents(history), contents(other));
        expect(merged).toMatchObject({ kind: 'differs', plan: 'plan' });
        if (merged.kind === 'differs') expect(merged.why).toContain(`event ${at + 1} `);
      }
  });

  it('cannot be told where it has gone on by itself', () => {
    const merged = mergeContents(contents(history.slice(0, -2)), contents(history));
    expect(merged).toEqual({ kind: 'ahead', plan: 'plan', by: 2 });
  });

  it('is no plan of another path, nor a path of another name', () => {
    const other = contents([], { path: 'docs/PLAN.md' });
    expect(mergeContents(contents(history), other)).toMatchObject({ kind: 'differs' });
    const renamed = { ...empty, plans: [{ slug: 'other', path: 'PLAN.md', highest: 0 }] };
    expect(mergeContents(contents(history), renamed)).toMatchObject({ kind: 'differs' });
  });

  it('is a higher number, and a verdict that is unknown there', () => {
    const numbered = contents(history, { highest: 7 });
    const verdict = { tree: 'tree', gatesHash: 'gates', verdict: 'fail' } as const;
    const more = { ...verdict, tree: 'other' };
    const lacks = (there: LedgerContents): unknown => {
      const merged = mergeContents({ ...numbered, verdicts: [verdict, more] }, there);
      return merged.kind === 'merged' ? [merged.missing.plans, merged.missing.verdicts] : merged;
    };
    expect(lacks(contents(history, { highest: 6 }))).toEqual([numbered.plans, [more]]);
    expect(lacks(contents(history, { highest: 8 }))).toEqual([[], [more]]);
  });
});
