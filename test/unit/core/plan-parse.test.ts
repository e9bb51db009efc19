import { describe, expect, it } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import type { Plan, Problem } from '../../../src/core/plan/plan.ts';

const parse = (text: string): Plan => parsePlan(new TextEncoder().encode(text), 'PLAN.md');
const told = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ line, message }) => `${line} ${message}`);

describe('a plan without a task', () => {
  it.each([
    ['words', 'Just words.', 'looked for `### Task 1: Title` headings'],
    ['nothing', '', 'no task'],
    ['boxes that count for nothing', '## Checklist\n- [ ] a', 'no task'],
    ['another level', '---\ntasks: heading-3\n---\n## 1. One', '### headings'],
    ['boxes wanted', '---\ntasks: boxes\n---\n## Task 1: One', '`- [ ] Title` boxes'],
  ])('of %s is one problem on line 1', (_, text, says) => {
    const { problems } = parse(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      line: 1,
      message: expect.stringContaining(says) as string,
    });
  });

  it('in UTF-16 says so', () => {
    const text = Uint8Array.from(Buffer.from('\ufeff- [ ] a\n', 'utf16le'));
    expect(told(parsePlan(text, 'PLAN.md').problems)[0]).toContain('UTF-8');
  });
});

describe('a title', () => {
  it.each([
    '--force $(touch owned) `touch owned` "; touch owned; "',
    '../../etc/passwd .. @{-1} ~^: 日本語 🎉',
    '-n',
    '\u001b[31mred\u0007 \u202e',
    '<script>alert(1)</script> & <b>',
    '__proto__',
    'constructor',
    `${'a very long title '.repeat(60_000)}end`,
  ])('is text, whatever is in it (%#)', (title) => {
    for (const text of [`- [ ] ${title}`, `## Task 1: ${title}`, `## Task 1 — ${title}`]) {
      const { tasks, problems } = parse(text);
      expect(problems).toEqual([]);
      expect(tasks.map((task) => task.title)).toEqual([title]);
      expect(tasks[0]?.id).toMatch(/^[^\s]{1,60}$/u);
    }
  });

  it('of a task in braces may be any word, as its id', () => {
    const { tasks, problems } = parse(
      '- [ ] a {#../x@{y}\n- [ ] b {#--force}\n  needs: --force-not, --force',
    );
    expect(tasks.map(({ id }) => id)).toEqual(['a-x-y', '--force']);
    expect(told(problems)).toEqual([
      '2 cycle: `--force` needs `--force`',
      '3 needs `--force-not`: no task has that id',
    ]);
  });
});

describe('what a task waits for', () => {
  const three = (needs: string): Plan =>
    parse(`### Task 1: a\n### Task 2: b\n### Task 3: c\n**Depends on:** ${needs}\n`);

  it.each([
    ['1', ['1']],
    ['Task 1', ['1']],
    ['tasks 1 and 2', ['1', '2']],
    ['2, 1', ['2', '1']],
    ['2; 2; Task 2', ['2']],
    ['1 2', ['1', '2']],
    ['Task 1 (Storage), Task 2 (Reports)', ['1', '2']],
    ['[Task 1](#task-1--a)', ['1']],
    ['`1`, **2**', ['1', '2']],
    ['[1, 2]', ['1', '2']],
    ['Task 1.', ['1']],
    ['Task 1 — the store', ['1']],
    ['1–2', ['1', '2']],
    ['Tasks 1 to 2', ['1', '2']],
    ['all', ['1', '2']],
    ['All previous tasks', ['1', '2']],
    ['none', []],
    ['None.', []],
    ['None (first task)', []],
    ['none — can start now', []],
    ['—', []],
    ['–', []],
    ['-', []],
    ['N/A', []],
    ['n/a', []],
  ])('%s', (needs, expected) => {
    const plan = three(needs);
    expect(told(plan.problems)).toEqual([]);
    expect(plan.tasks[2]).toMatchObject({ needs: expected, explicitNeeds: true });
  });

  it.each([
    ['4', '`4`'],
    ['1, 7, nowhere', '`7`, `nowhere`'],
    ['the store and the reports', '`the store`, `the reports`'],
    ['3-1', '`3-1`'],
  ])('%s is unknown, at the line of the field', (needs, says) => {
    expect(told(three(needs).problems)).toEqual([`4 needs ${says}: no task has that id`]);
  });

  it('without a word about it, is the task before it', () => {
    expect(three('').tasks[2]).toMatchObject({ needs: ['2'], explicitNeeds: false });
    expect(parse('- [ ] a\n  needs:\n').tasks[0]).toMatchObject({
      needs: [],
      explicitNeeds: false,
    });
    expect(parse('- [ ] z\n- [x] a\n  needs:\n- [ ] b').tasks.map((task) => task.needs)).toEqual([
      [],
      ['z'],
      ['a'],
    ]);
  });

  it('may stand later in the plan', () => {
    const { tasks, problems } = parse('- [ ] a\n  needs: b\n- [ ] b\n  needs: none\n');
    expect(problems).toEqual([]);
    expect(tasks[0]?.needs).toEqual(['b']);
  });

  it('says which wait closes a cycle only by position', () => {
    const { problems } = parse('- [ ] a\n  needs: b\n- [ ] b\n');
    expect(told(problems)).toEqual([
      '1 cycle: `a` needs `b` needs `a`; `b` waits only because it stands behind: `needs: none` under it frees it',
    ]);
  });

  it('is one problem for each cycle, at its first task', () => {
    const ring = (names: string): string =>
      Array.from(names)
        .map(
          (id, index) =>
            `- [ ] ${id} {#${id}}\n  needs: ${names.charAt((index + 1) % names.length)}\n`,
        )
        .join('');
    expect(told(parse(ring('abc') + ring('d') + ring('ef')).problems)).toEqual([
      '1 cycle: `a` needs `b` needs `c` needs `a`',
      '7 cycle: `d` needs `d`',
      '9 cycle: `e` needs `f` needs `e`',
    ]);
  });

  it('by a number that two headings have is no guess', () => {
    const plan = '## Task 1: a\n**ID:** x\n## Task 1: b\n**ID:** y\n## Task 2: c\n**Depends:** 1\n';
    expect(told(parse(plan).problems)).toEqual([
      '6 needs `1`: more than one task is called that, so name its id',
    ]);
  });

  it('in a plan of boxes, may be a place in it', () => {
    expect(parse('- [ ] a\n- [ ] b\n- [ ] c\n  needs: 1').tasks[2]?.needs).toEqual(['a']);
  });
});

describe('a summary table', () => {
  const heads = '## Task 1: a\n## Task 2: b\n## Sum\n\n';
  it.each([
    [
      'by a row of a task that is not there',
      '| 1 | |\n| 9 | 1 |',
      '9 `9` in this table is no task: the row is not read',
    ],
    ['by a second row', '| 1 | |\n| 1 | 2 |', '9 `1` is in a table already: the row is not read'],
  ])('is explained %s', (_, rows, notice) => {
    const plan = parse(`${heads}\n| # | Needs |\n|---|---|\n${rows}\n`);
    expect(told(plan.notices)).toEqual([notice]);
    expect(told(plan.problems)).toEqual([]);
  });

  it.each([
    ['of other things', '| Package | Depends On |\n|---|---|\n| left-pad | all |\n'],
    ['without such a column', '| Task | Needed by |\n|---|---|\n| 2 | none |\n'],
    ['without a row of dashes', '| Task | Depends On |\n| 2 | none |\n'],
    ['in a quote', '> | Task | Depends On |\n> |---|---|\n> | 2 | none |\n'],
    ['in code', '```\n| Task | Depends On |\n|---|---|\n| 2 | none |\n```\n'],
  ])('is none %s', (_, table) => {
    const plan = parse(heads + table);
    expect(plan.tasks[1]).toMatchObject({ needs: ['1'], explicitNeeds: false });
    expect([...plan.notices, ...plan.problems]).toEqual([]);
  });

  it('may name tasks by their ids, in any column, without outer bars', () => {
    const text = `### T-1: a\n### T-2: b\n### T-3: c\n## Sum\nWords\nDepends On | What | Task\n-|-|-\nT-1 | c | T-3\n`;
    expect(parse(text).tasks[2]?.needs).toEqual(['T-1']);
  });
});

describe('a problem', () => {
  it('does not hide another', () => {
    const lines = parse(
      '---\nlimt: 1\n---\n- [ ] {#x}\n- [ ] b {#x}\n  timeout: soon\n  needs: y\n',
    ).problems;
    expect(lines.map(({ line }) => line)).toEqual([2, 4, 5, 6, 7]);
  });

  it('of an id twice is at the line where the second stands', () => {
    expect(told(parse('## Task 1: a\n## Task 2: b\n\n**ID:** 1\n').problems)).toEqual([
      '4 duplicate id `1`: it stands on line 1 already',
    ]);
  });

  it('quotes no more than a line of a stranger', () => {
    const { problems } = parse(`- [ ] a\n  needs: ${'x'.repeat(100_000)}\n`);
    expect(problems[0]?.message.length).toBeLessThan(150);
  });
});

describe('a field of a heading’s task', () => {
  it.each([
    ['bold', '**Timeout:** 15m'],
    ['bold, the colon outside', '**Timeout**: 15m'],
    ['plain, right under the heading', 'timeout: 15m'],
    ['with a capital', 'Timeout: 15m'],
    ['in a list', '- **Timeout:** 15m'],
    ['after other keys', 'Owner: bob\nneeds: none\ntimeout: 15m'],
    ['after a comment', '<!-- ✅ Task 9 completed -->\n\ntimeout: 15m'],
    ['in code marks', '**Timeout:** `15m`'],
    ['after words, in bold', 'Words.\n\n**Timeout:** 15m'],
    ['in a lazy line of a list', '- item\n**Timeout:** 15m'],
  ])('%s', (_, text) => {
    expect(parse(`## Task 1: a\n\n${text}\n`).tasks[0]?.config).toEqual({ timeout: 900_000 });
  });

  it.each([
    ['plain, after words', 'Words.\n\ntimeout: 15m'],
    ['in code', '```\n**Timeout:** 15m\n```'],
    ['in a quote', '> **Timeout:** 15m'],
    ['in a sentence', 'The **Timeout:** 15m'],
    ['in a criterion', '- [ ] **Timeout:** 15m'],
    ['in a comment', '<!--\n**Timeout:** 15m\n-->'],
  ])('is text %s', (_, text) => {
    expect(parse(`## Task 1: a\n\n${text}\n`).tasks[0]?.config).toEqual({});
  });

  it('takes the list under it, and gates add up', () => {
    const text = [
      '## Task 1: a',
      '**Goal:** Make it,',
      'all of it.',
      '**Files to create / modify:**',
      '- `src/a.ts` — the a',
      '  - `nested`: no file',
      '- src/b.ts (new)',
      '**Gate:**',
      '- `npm test`: green',
      '**Gate:** npm run lint -- "<!-- x -->"',
      '**May change:** `gates/**`, .skeleton.yml',
      '**Validation:**',
      '- [ ] boxed',
      '- not boxed',
      '**Acceptance criteria:** in words',
      '**Agent:** claude',
      '',
    ].join('\n');
    const { tasks, problems } = parse(text);
    expect(told(problems)).toEqual([]);
    expect(tasks[0]).toMatchObject({
      goal: 'Make it, all of it.',
      files: ['src/a.ts', 'src/b.ts'],
      acceptance: ['boxed', 'not boxed', 'in words'],
      config: {
        gate: ['npm test', 'npm run lint -- "<!-- x -->"'],
        mayChange: ['gates/**', '.skeleton.yml'],
        agent: 'claude',
      },
    });
  });

  it('may be the paragraph after its label, if it is a goal or a criterion', () => {
    const text = '## Task 1: a\n\n**Goal:**\n\nGo\non.\n\n**Acceptance:**\n\nIt goes.\n\nWords.\n';
    expect(parse(text).tasks[0]).toMatchObject({ goal: 'Go on.', acceptance: ['It goes.'] });
    const needs = '## Task 1: a\n## Task 2: b\n\n**Depends on:**\n\nWords that are no ids.\n';
    expect(parse(needs)).toMatchObject({ problems: [], tasks: [{}, { needs: ['1'] }] });
  });

  it.each([
    ['**ID:**', '`id`: expected a word, not nothing'],
    ['**Gate:**', '`gate`: expected a command or the name of a gate, not nothing'],
    ['**Attempts:** 6', '`attempts`: expected a whole number, at least 1 and at most 5, not `6`'],
    ['**Agent:** a\n**Agent:** b', '`agent` stands twice in this task, first on line 3'],
  ])('%s is refused', (text, says) => {
    const line = text.split('\n').length + 2;
    expect(told(parse(`## Task 1: a\n\n${text}\n`).problems)).toEqual([`${line} ${says}`]);
  });

  it('leaves a list alone that follows a value', () => {
    const { tasks, problems } = parse(
      '## Task 1: a\n## Task 2: b\n**Depends on:** 1\n\n- step\n- [ ] box\n',
    );
    expect(told(problems)).toEqual([]);
    expect(tasks[1]).toMatchObject({ needs: ['1'], acceptance: ['box'] });
  });
});

describe('input that no person writes', () => {
  const megabyte = 1_000_000;
  const often = (text: string): string => text.repeat(megabyte / text.length);
  // Each takes well under a second; anything quadratic would take minutes.
  it.each([
    ['quotes in quotes', `${often('>')} a`],
    ['lists in lists', `${often('- ')}[ ] a`],
    ['boxes in boxes', '- [ ] '.repeat(20_000)],
    ['brackets', `- [ ] ${often('[(')}`],
    ['open comments', `- [ ] ${often('<!-- ')}`],
    ['open code', `- [ ] {#${Array.from({ length: 1000 }, (_, n) => '`'.repeat(n)).join(' ')}`],
    ['markers', `## Task 1: a\n\na ${often('<!-- ✅ Task 1 completed -->\na ')}`],
    ['a row of needs', `- [ ] a\n  needs: ${often('b, ')}`],
    ['blank front matter', `---\n${often('\n')}---\n- [ ] a`],
    ['open braces', `## Task 1: a\n**Files:** ${often('{a ')}`],
    [
      'rows of a table',
      `## Task 1: a\n\n| Task | Depends On |\n|--|--|\n${'| 1 | 1 |\n'.repeat(50_000)}`,
    ],
    ['tasks that need all', '## Task 1: a\n**Depends:** all\n'.repeat(1500)],
    ['one line', often('word **Goal:** ')],
    ['tasks of the same name', '- [ ] a\n'.repeat(20_000)],
    [
      'a ring of needs',
      Array.from(
        { length: 20_000 },
        (_, n) => `- [ ] a {#t${n}}\n  needs: t${(n + 1) % 20_000}\n`,
      ).join(''),
    ],
  ])('%s', (_, text) => {
    expect(parse(text).path).toBe('PLAN.md');
  });
});
