import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { beginningOf, onceText, type OnceParts } from '../../../src/core/once.ts';

const parts: OnceParts = {
  planPath: 'PLAN.md',
  tasks: [
    { id: 'one', text: 'One' },
    { id: 'two', text: 'Two' },
  ],
  tree: 'a'.repeat(40),
  config: { agent: 'claude', env: { deny: ['AWS_*'], allow: ['PATH'] } },
};

describe('what a trigger asks for', () => {
  it('is the same whatever has nothing to do with what is done', () => {
    const config = { env: { allow: ['PATH'], deny: ['AWS_*'] }, agent: 'claude' };
    const said = { ...config, budget: { usd: 3 }, maxTime: 1, ledger: 'postgres://h/d' };
    expect(onceText({ ...parts, config })).toBe(onceText(parts));
    expect(onceText({ ...parts, config: said })).toBe(onceText(parts));
  });

  it.each<[string, Partial<OnceParts>]>([
    ['the plan', { planPath: 'docs/PLAN.md' }],
    ['a task’s text', { tasks: [{ id: 'one', text: 'One!' }, ...parts.tasks.slice(1)] }],
    ['a task less', { tasks: parts.tasks.slice(1) }],
    ['the order', { tasks: parts.tasks.toReversed() }],
    ['the tree', { tree: 'b'.repeat(40) }],
    ['the agent', { config: { ...parts.config, agent: 'codex' } }],
    ['its model', { config: { ...parts.config, model: 'large' } }],
    ['what it may see', { config: { ...parts.config, env: { deny: ['AWS_*'] } } }],
  ])('is another with %s', (_, change) => {
    expect(onceText({ ...parts, ...change })).not.toBe(onceText(parts));
  });

  test('no part can pass for the end of another', () => {
    const task = fc.record({ id: fc.string(), text: fc.string() });
    const any = fc.record({ planPath: fc.string(), tasks: fc.array(task), tree: fc.string() });
    fc.assert(
      fc.property(any, any, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(onceText({ ...one, config: {} }) === onceText({ ...other, config: {} })).toBe(same);
      }),
    );
  });
});

describe('where the work on top began', () => {
  const steps = [
    { commit: 'one', base: 'start' },
    { commit: 'two', base: 'one' },
  ];

  it.each([
    ['two', 'start'],
    ['one', 'start'],
    ['start', 'start'],
    ['a person’s', 'a person’s'],
    ['', ''],
  ])('at %s it is %s', (head, beginning) => {
    expect(beginningOf(head, steps)).toBe(beginning);
  });

  it('ends where a history makes a ring of it', () => {
    const ring = [...steps, { commit: 'start', base: 'two' }];
    expect(['one', 'two', 'start']).toContain(beginningOf('two', ring));
  });
});
