/** Whatever a draft says, its plan says the same to our own parser. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Source, SourceTask } from '../../../../src/core/import/draft.ts';
import { importText } from '../../../../src/core/import/import-text.ts';
import { openLog } from '../../../../src/core/import/log.ts';
import { planText } from '../../../../src/core/import/plan-text.ts';
import { readBack } from '../../../../src/core/import/read-back.ts';
import { settle } from '../../../../src/core/import/settle.ts';
import { parsePlan } from '../../../../src/core/plan/parse-plan.ts';

const runs = process.env['NIGHTLY'] === undefined ? 250 : 20_000;

/** What means something to Markdown or to the parser, and what breaks it. */
const scraps = fc.constantFrom(
  ...[
    '- [ ] a',
    '* [x] b {#b}',
    '# H',
    '## Task 1: One',
    '### US-004: Four',
    '- [-]',
    '[P]',
    '[US2]',
  ],
  ...[
    '{#id}',
    '{#',
    '}',
    '`',
    '``',
    '```',
    '~~~',
    '<!--',
    '-->',
    '--!>',
    '<!-- ✅ Task a completed -->',
  ],
  ...[
    'needs: a',
    'gate: rm -rf /',
    '**Depends on:** z',
    'id: q',
    'files: x',
    'allow_empty: true',
    '---',
  ],
  ...[
    '===',
    '> q',
    '>',
    '    code',
    '\t',
    ' ',
    '',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '\0',
    '\ud800',
    '\u2028',
  ],
  ...[
    'T001',
    '1.1',
    '3.5',
    '**1.2**',
    'none',
    'all',
    'a, b',
    '| a |',
    '\\',
    '<div>',
    '<script>',
    '1.',
    '-',
  ],
  ...[
    '<?php',
    '<![CDATA[',
    '[r]: /u',
    '\ufeff',
    '+++',
    '&lt;',
    '[x]',
    'word',
    'Zeile',
    '任务',
    '\u202e',
  ],
);
const words = fc
  .array(fc.oneof({ weight: 4, arbitrary: scraps }, fc.string({ maxLength: 6, unit: 'binary' })), {
    maxLength: 8,
  })
  .chain((parts) => fc.constantFrom('', ' ', '\n').map((between) => parts.join(between)));
const ids = fc.oneof(
  fc.constantFrom(
    '1',
    '2',
    'a',
    'A',
    'T001',
    '1.1',
    'US-1',
    'none',
    'all',
    'x y',
    '',
    'a,b',
    'bd-1.2',
    '#',
    '{a}',
  ),
  words,
);

interface Seed extends Omit<SourceTask, 'needs'> {
  /** Steps back among the tasks; undefined: none is named. */
  readonly back: readonly number[] | undefined;
}

const seed: fc.Arbitrary<Seed> = fc.record({
  id: fc.option(ids, { nil: undefined }),
  title: words,
  state: fc.constantFrom('pending', 'done', 'skipped'),
  text: words,
  acceptance: fc.array(fc.record({ text: words, done: fc.boolean() }), { maxLength: 3 }),
  files: fc.array(fc.oneof(words, fc.constantFrom('src/a.ts', 'src/**', 'none')), { maxLength: 2 }),
  allowEmpty: fc.boolean(),
  line: fc.nat(99),
  rank: fc.nat(2),
  back: fc.option(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }), { nil: undefined }),
});

/** Needs that lead back only, and only to an id that one task has: the others are problems, tested elsewhere. */
function sourceOf(title: string, preamble: string, seeds: readonly Seed[]): Source {
  const isOnce = (id: string | undefined): boolean =>
    id !== undefined && seeds.filter((other) => other.id === id).length === 1;
  const isPositional = seeds.some(({ back }) => back === undefined);
  const tasks = seeds.map(({ back, ...task }, at): SourceTask => {
    const named = (back ?? []).map((steps) => seeds[at - steps]?.id).filter(isOnce);
    const needs = named.flatMap((id) => (id === undefined ? [] : [{ id, line: 1 }]));
    return { ...task, rank: isPositional ? 0 : task.rank, needs: back && needs };
  });
  return { title, preamble, tasks };
}

test('any draft is written so that it is read back: ids, titles, states, needs, criteria, files', () => {
  const property = fc.property(
    words,
    words,
    fc.array(seed, { minLength: 1, maxLength: 6 }),
    (title, preamble, seeds) => {
      const log = openLog();
      const draft = settle(sourceOf(title, preamble, seeds), log);
      expect(log.told().problems).toEqual([]);
      const text = planText(draft);
      expect(readBack(text, draft, 'PLAN.md')).toBeUndefined();
      const { tasks } = parsePlan(new TextEncoder().encode(text), 'PLAN.md');
      expect(tasks.map((task) => task.config.allowEmpty ?? false)).toEqual(
        draft.tasks.map((task) => task.allowEmpty),
      );
      expect(
        tasks.map((task) => Object.keys(task.config).filter((key) => key !== 'allowEmpty')),
      ).toEqual(draft.tasks.map(() => []));
      const order = draft.tasks.map(({ id }) => id);
      for (const { id, needs } of draft.tasks)
        for (const need of needs ?? []) expect(order.indexOf(need)).toBeLessThan(order.indexOf(id));
    },
  );
  fc.assert(property, { numRuns: runs });
});

test('no bytes throw: what is read is either told as a problem or read back', () => {
  const bytes = fc.oneof(
    words.map((text) => new TextEncoder().encode(text)),
    fc
      .array(words, { maxLength: 6 })
      .map((lines) => new TextEncoder().encode(lines.join('\n- [ ] '))),
    fc.json().map((text) => new TextEncoder().encode(text)),
    fc.uint8Array({ maxLength: 40 }),
  );
  const property = fc.property(bytes, (given) => {
    const read = importText({ bytes: given, format: undefined, tag: undefined, beside: [] });
    if (read.problems.length === 0)
      expect(readBack(planText(read.draft), read.draft, 'PLAN.md')).toBeUndefined();
  });
  fc.assert(property, { numRuns: runs });
});
