/** What is wrong in a file is told with its line, and then there is nothing to write. */
import { describe, expect, test } from 'vitest';
import type { Format } from '../../../../src/core/import/dialect.ts';
import { importText, type Imported } from '../../../../src/core/import/import-text.ts';
import { planText } from '../../../../src/core/import/plan-text.ts';
import { readBack } from '../../../../src/core/import/read-back.ts';

function read(text: string, format?: Format, tag?: string): Imported {
  return importText({ bytes: new TextEncoder().encode(text), format, tag, beside: [] });
}

function problemsOf(...given: Parameters<typeof read>): readonly string[] {
  return read(...given).problems.map(({ line, message }) => `${line}: ${message}`);
}

describe('no JSON', () => {
  test.each([
    ['{\n"userStories": [\n}', '3: no JSON: expected a value, not "}"'],
    ['{"a": "b\n', '1: no JSON: a text that is not closed'],
    ['{\n"a": 1,\n"a": 2}', '3: no JSON: the key "a" stands twice'],
    ['[1,]', '1: no JSON: expected a value, not "]"'],
    ['{"a": 01}', '1: no JSON: expected `}`, not "1"'],
    [
      '{"a": "\t"}',
      '1: no JSON: a text with a line end, a control character or a wrong escape in it',
    ],
    ['{"userStories": []}\n\n{', '3: no JSON: unexpected "{" after the end'],
    ['['.repeat(100_000), '1: no JSON: nested too deeply'],
  ])('%j', (text, problem) => {
    expect(problemsOf(text.slice(0, 200_000))).toEqual([problem]);
  });

  test('a line of an export that is broken, by its number in the file', () => {
    const lines = ['{"id":"a","title":"A","status":"open"}', '', '{"id":"b"'];
    expect(problemsOf(lines.join('\r\n'))).toEqual([
      '3: no JSON: expected `}`, not the end of the file',
    ]);
  });
});

describe('the wrong type', () => {
  test('of each field, all at once', () => {
    const text = `{"project": 7, "userStories": [
      {"id": true, "title": "A", "passes": "yes",
       "acceptanceCriteria": "one", "priority": "high"},
      "a story",
      {"id": "b", "title": ["B"], "dependsOn": [{}]}]}`;
    expect(problemsOf(text)).toEqual([
      '1: `project`: expected a text, not a number',
      '4: `userStories[]`: expected an object, not a text',
      '2: `userStories[].passes`: expected true or false, not a text',
      '2: `userStories[].id`: expected a text or a whole number, not true or false',
      '3: `userStories[].acceptanceCriteria`: expected a list, not a text',
      '3: `userStories[].priority`: expected a number, not a text',
      '5: `userStories[].dependsOn[]`: expected a text or a whole number, not an object',
      '5: `userStories[].title`: expected a text, not a list',
    ]);
  });

  test.each<[Format, string]>([
    ['prd', '1: no prd.json: expected an object with a list `userStories`'],
    ['taskmaster', '1: no tasks.json: expected an object'],
    ['github', '1: expected an object for each issue'],
    ['beads', '1: no JSON: expected an object for each issue'],
  ])('of a whole %s', (format, problem) => {
    expect(problemsOf('[1]', format)).toEqual([problem]);
  });
});

describe('needs', () => {
  const stories = (...list: readonly object[]): string => {
    const lines = list.map((story) => JSON.stringify({ title: 'A', passes: false, ...story }));
    return `{"userStories": [\n${lines.join(',\n')}\n]}`;
  };

  test('that nothing has, at their line', () => {
    const text = stories({ id: 'a', dependsOn: [] }, { id: 'b', dependsOn: ['c', 'a'] });
    expect(problemsOf(text)).toEqual(['3: needs `c`: no task has that id']);
  });

  test('that two tasks have', () => {
    const text = stories({ id: 'a' }, { id: 'a' }, { id: 'b', dependsOn: ['a'] });
    expect(problemsOf(text)).toEqual(['4: needs `a`: 2 tasks have that id']);
  });

  test('in a circle, and of itself', () => {
    const text = stories(
      { id: 'a', dependsOn: ['b'] },
      { id: 'b', dependsOn: ['a'] },
      { id: 'c', dependsOn: ['c'] },
    );
    expect(problemsOf(text)).toEqual([
      '2: cycle: `a` needs `b` needs `a`',
      '4: cycle: `c` needs `c`',
    ]);
  });

  test('of a chain of 5,000 tasks, the last first', { timeout: 60_000 }, () => {
    const list = Array.from({ length: 5000 }, (_, at) => ({
      id: `t${at}`,
      dependsOn: at === 4999 ? [] : [`t${at + 1}`],
    }));
    const { draft, problems } = read(stories(...list));
    expect([problems, draft.tasks[0]?.id, draft.tasks.at(-1)?.id]).toEqual([[], 't4999', 't0']);
    expect(readBack(planText(draft), draft, 'PLAN.md')).toBeUndefined();
  });
});

describe('tags', () => {
  const text =
    '{"a": {"tasks": [{"id": 1, "title": "A"}]}, "b": {"tasks": [{"id": 1, "title": "B"}]}}';

  test('one has to be named where there is no master', () => {
    expect(problemsOf(text)).toEqual(['1: name a tag with --tag: `a`, `b`']);
    expect(problemsOf(text, undefined, 'c')).toEqual(['1: there is no tag `c`: `a`, `b`']);
  });

  test('the named one is read, and the other one told', () => {
    const { draft, fields } = read(text, undefined, 'b');
    expect(draft.tasks.map(({ title }) => title)).toEqual(['B']);
    expect(fields).toContainEqual({ field: 'tag `a`', became: undefined, count: 1, line: 1 });
  });

  test('are of no other format', () => {
    expect(problemsOf('- [ ] a', undefined, 'b')).toEqual([
      '1: --tag is for Taskmaster, and this is fix-plan',
    ]);
  });
});

describe('bytes that are no text', () => {
  test('a NUL, UTF-16', () => {
    expect(problemsOf('- [ ] a\n- [ ] b\0')).toEqual(['2: a NUL byte: this is no text']);
    const wide = new Uint8Array([0xff, 0xfe, 0x2d, 0, 0x20, 0]);
    const job = { bytes: wide, format: undefined, tag: undefined, beside: [] };
    expect(importText(job).problems[0]?.message).toBe('this is UTF-16: save it as UTF-8');
  });

  test('nothing at all, and nothing that is known', () => {
    for (const text of ['', '\n', '# A title\n\nProse.', '{}', '[]', '"text"'])
      expect(problemsOf(text)).toEqual([expect.stringMatching(/^1: no format that is known/)]);
    expect(problemsOf('# A title', 'fix-plan')).toEqual([
      '1: no task found in it, read as fix-plan',
    ]);
  });

  test('CRLF and a byte order mark change nothing', () => {
    const text = '{"userStories": [\n{"id": "a", "title": "A", "description": "one\\r\\ntwo"}]}';
    const { draft } = read(text);
    const wrapped = read(`\ufeff${text.replaceAll('\n', '\r\n')}`);
    expect([wrapped.problems, wrapped.draft]).toEqual([[], draft]);
    expect(draft.tasks[0]?.text).toBe('one\ntwo');
  });
});

test('a long title is cut, and stands whole in the text', () => {
  const title = 'word '.repeat(100).trim();
  const { draft, notices } = read(`- [ ] ${title}`);
  expect(draft.tasks[0]?.title).toHaveLength(300);
  expect(draft.tasks[0]?.text).toBe(title);
  expect(notices.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('is cut: all of it stands in the text'),
  );
});

/** Were anything quadratic in a line or a file, these would take hours. */
test('large files and long lines come to an end', { timeout: 60_000 }, () => {
  const issue = { title: '`'.repeat(2000), body: `depends on${' '.repeat(60_000)}x` };
  const issues = Array.from({ length: 100 }, (_, number) => ({ ...issue, number }));
  const boxes = '- [ ] 1.1 a <!-- `\n  - [ ] b\n'.repeat(5000);
  const sections = '### Requirement: A\n\n#### Scenario: B\n\n- **WHEN** c\n\n'.repeat(1000);
  const counts = [JSON.stringify(issues), boxes, sections, '> '.repeat(50_000)].map((text) => {
    const { draft, problems } = read(text);
    return problems.length === 0 ? draft.tasks.length : 'problem';
  });
  expect(counts).toEqual([100, 5000, 1000, 'problem']);
});
