import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namedByRef } from '../../../src/core/own-things.ts';
import {
  agentRefPrefix,
  attemptRef,
  autostashRef,
  checkpointTag,
  fenceRef,
  isInTheWay,
  parseTag,
  planSlug,
  proofRef,
  refSlug,
  startTag,
  taskSlug,
  undoRef,
} from '../../../src/core/refs.ts';

test('names people use stay readable', () => {
  expect(taskSlug('T-001')).toBe('T-001');
  expect(taskSlug('1.2')).toBe('1.2');
  expect(taskSlug('登录-支持')).toBe('登录-支持');
  expect(planSlug('docs/PLAN.md')).toBe('plan');
  expect(planSlug('Next Release.MD')).toBe('next-release');
  expect(planSlug('PLAN.md', '0a1b2c')).toBe('plan-0a1b2c');
});

test('what git forbids becomes something it allows', () => {
  expect(refSlug('../../etc/passwd', 'x')).toBe('etc-passwd');
  expect(refSlug('@{-1}~^: a', 'x')).toBe('1-a');
  expect(refSlug('x.lock', 'y')).toBe('x');
  expect(refSlug('--force', 'y')).toBe('force');
  expect(refSlug('…', 'task')).toBe('task');
});

test('a task named start does not take a start tag', () => {
  expect(taskSlug('start')).toBe('start-task');
  expect(taskSlug('cold-start')).toBe('cold-start-task');
  expect(taskSlug('restart')).toBe('restart');
});

test('ids that git would not tell apart get names of their own', () => {
  expect(taskSlug('a/b')).toMatch(/^a-b-[0-9a-f]{6}$/);
  expect(taskSlug('a/b')).not.toBe(taskSlug('a:b'));
  expect(taskSlug('x'.repeat(200))).toMatch(/^x{80}-[0-9a-f]{6}$/);
});

test("a fence is a task's, and says whose", () => {
  expect(fenceRef('plan', 'one')).toBe('refs/skeleton/fence/plan/one');
  const named = { kind: 'fence', plan: 'plan', task: 'one' };
  expect(namedByRef(fenceRef('plan', 'one'))).toEqual(named);
});

test('tags are read back', () => {
  expect(parseTag(checkpointTag('plan', 7, 'one'))).toEqual({
    plan: 'plan',
    number: 7,
    task: 'one',
    isStart: false,
  });
  expect(parseTag('skeleton/plan/12345-start')).toMatchObject({ number: 12345, isStart: true });
  expect(parseTag(startTag('plan', 0))).toMatchObject({ number: 0, isStart: true });
  expect(parseTag('refs/tags/v1.0')).toBeUndefined();
});

test('any text gives a component that check-ref-format accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const slug = taskSlug(text);
      expect(slug).not.toMatch(/[\0-\x20\x7f~^:?*[\\/]|\.\.|@\{|^[.-]|\.$|\.lock$/);
      expect(slug.length).toBeGreaterThan(0);
      expect(new TextEncoder().encode(slug).length).toBeLessThanOrEqual(92);
    }),
  );
});

test('what is a folder of our refs is in their way, our refs are not', () => {
  const ours = [
    checkpointTag('p', 1, 'one'),
    startTag('p', 0),
    proofRef('p', 1),
    undoRef('p', 1),
    autostashRef('p', 1),
    attemptRef('p', 'one', 1),
    `${agentRefPrefix('p', 'one', 1)}HEAD`,
    'refs/skeleton/anchor/0a1b',
  ];
  expect(ours.filter((ref) => isInTheWay(ref, 'p'))).toEqual([]);
  for (const ref of ours)
    for (
      let end = ref.lastIndexOf('/');
      end > 'refs/tags'.length;
      end = ref.lastIndexOf('/', end - 1)
    )
      expect([ref.slice(0, end), isInTheWay(ref.slice(0, end), 'p')]).toEqual([
        ref.slice(0, end),
        true,
      ]);
  const others = ['refs/tags/skeleton/q', 'refs/heads/skeleton', 'refs/skeleton/proof/q/1/x'];
  expect(others.filter((ref) => isInTheWay(ref, 'p'))).toEqual([]);
  expect(isInTheWay('refs/tags/skeleton/p/0001-one/x', 'p')).toBe(true);
});
