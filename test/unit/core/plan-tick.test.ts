import { describe, expect, it } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import { differsInMarksOnly, tick } from '../../../src/core/plan/tick.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
const ticked = (text: string, id: string): string => decode(tick(encode(text), 'PLAN.md', id));

describe('tick, a task that is a box', () => {
  it('changes its mark and those inside, and no other byte', () => {
    const before = [
      '\ufeff# Plan  \r\n\r\n```\r\n- [ ] not a task\r\n```\r\n<!--\r\n- [ ] nor this\r\n-->\r\n',
      '* [ ] Real one   \r\n\t- [ ] part\r\n\r\n> - [ ] quoted\r\n\r\n1. [ ] Second ✓',
    ].join('');
    const after = before.replace('* [ ] Real', '* [x] Real').replace('\t- [ ]', '\t- [x]');
    expect(ticked(before, 'real-one')).toBe(after);
    expect(ticked(after, 'second')).toBe(after.replace('1. [ ]', '1. [x]'));
  });

  it.each([
    ['another mark', '- [~] a', '- [x] a'],
    ['a mark of several bytes', '- [✔️] a', '- [x] a'],
    ['a tab as mark', '- [\t] a', '- [x] a'],
    ['a capital mark, which is as good', '- [X] a\n  - [X] b', '- [X] a\n  - [X] b'],
    ['a skipped task that was done after all', '- [-] a', '- [x] a'],
    [
      'a skipped part, which stays',
      '- [ ] a\n  - [-] b\n  - [ ] c',
      '- [x] a\n  - [-] b\n  - [x] c',
    ],
    ['several markers on one line', '- 1. [ ] a', '- 1. [x] a'],
    ['the box on the next line', '-\n  [ ] a', '-\n  [x] a'],
    ['old line ends', '- [ ] z\r- [ ] a\r  - [ ] b', '- [ ] z\r- [x] a\r  - [x] b'],
    ['front matter', '---\nlimit: 1\n---\n- [ ] a\n', '---\nlimit: 1\n---\n- [x] a\n'],
    ['NUL bytes', '\0\n- [ ] a\0', '\0\n- [x] a\0'],
    ['code inside', '- [ ] a\n  ```\n  - [ ] b\n', '- [x] a\n  ```\n  - [ ] b\n'],
  ])('%s', (_, before, after) => {
    const { tasks } = parsePlan(encode(before), 'PLAN.md');
    expect(ticked(before, tasks.at(-1)?.id ?? '')).toBe(after);
  });

  it('leaves bytes that are no UTF-8 as they are, also as the mark', () => {
    const bytes = Uint8Array.of(0xff, 0x0a, ...encode('- ['), 0xfe, ...encode('] a'), 0xc3);
    const after = Uint8Array.of(0xff, 0x0a, ...encode('- [x] a'), 0xc3);
    const [task] = parsePlan(bytes, 'PLAN.md').tasks;
    expect(tick(bytes, 'PLAN.md', task?.id ?? '')).toEqual(after);
  });

  it('throws for a task that the plan does not have', () => {
    expect(() => tick(encode('- [ ] a'), 'docs/PLAN.md', 'b')).toThrow(
      "docs/PLAN.md has no task 'b'",
    );
  });
});

describe('tick, a task that is a heading', () => {
  it.each([
    ['its boxes', '## Task 1: a\n- [ ] b\n\n> - [ ] c\n', '## Task 1: a\n- [x] b\n\n> - [ ] c\n'],
    ['boxes that are all skipped', '## Task 1: a\n- [-] b', '## Task 1: a\n- [x] b'],
    [
      'skipped ones among others',
      '## Task 1: a\n- [-] b\n- [ ] c',
      '## Task 1: a\n- [-] b\n- [x] c',
    ],
  ])('%s', (_, before, after) => {
    expect(ticked(before, '1')).toBe(after);
  });

  const M = '<!-- ✅ Task 1 completed -->';
  it.each([
    ['nothing under it', '## Task 1: a', `## Task 1: a\n\n${M}`],
    ['a missing last line end', '## Task 1: a\n\nWords', `## Task 1: a\n\nWords\n\n${M}`],
    ['line ends of Windows', '## Task 1: a\r\nb\r\n', `## Task 1: a\r\nb\r\n\r\n${M}\r\n`],
    ['old line ends', '## Task 1: a\rb', `## Task 1: a\rb\r\r${M}`],
    [
      'blank lines, which stay behind it',
      '## Task 1: a\nb\n\n \n',
      `## Task 1: a\nb\n\n${M}\n\n \n`,
    ],
    [
      'thematic breaks',
      '## Task 1: a\n- b\n\n---\n\n* * *\n',
      `## Task 1: a\n- b\n\n${M}\n\n---\n\n* * *\n`,
    ],
    ['a break with text after it', '## Task 1: a\n\n---\nb\n', `## Task 1: a\n\n---\nb\n\n${M}\n`],
    ['a list right above a break', '## Task 1: a\n- b\n---\n', `## Task 1: a\n- b\n\n${M}\n---\n`],
    ['a fence', '## Task 1: a\n```\n---\n```\n', `## Task 1: a\n\`\`\`\n---\n\`\`\`\n\n${M}\n`],
    ['a heading by a line under it', 'Task 1: a\n---\n---\n', `Task 1: a\n---\n\n${M}\n---\n`],
    ['the next task at once', '## Task 1: a\n## Task 2: b', `## Task 1: a\n\n${M}\n## Task 2: b`],
    ['a table', '## Task 1: a\n| a |\n|---|\n', `## Task 1: a\n| a |\n|---|\n\n${M}\n`],
    ['a quote', '## Task 1: a\n> b\n', `## Task 1: a\n> b\n\n${M}\n`],
    [
      'an open fence in an item',
      '## Task 1: a\n- ```\n  b\n',
      `## Task 1: a\n- \`\`\`\n  b\n\n${M}\n`,
    ],
    ['a fence that nobody closed', '## Task 1: a\n```\nb\n', `## Task 1: a\n\n${M}\n\`\`\`\nb\n`],
    ['a comment that nobody closed', '## Task 1: a\n<!-- b\n', `## Task 1: a\n\n${M}\n<!-- b\n`],
    ['another comment', '## Task 1: a\n<!-- b -->\n', `## Task 1: a\n<!-- b -->\n\n${M}\n`],
    ['a link definition', '## Task 1: a\nb\n\n[c]: d\n', `## Task 1: a\nb\n\n[c]: d\n\n${M}\n`],
  ])('a marker after %s', (_, before, after) => {
    expect(ticked(before, '1')).toBe(after);
    expect(parsePlan(encode(after), 'PLAN.md').tasks[0]?.state).toBe('done');
    expect(ticked(after, '1')).toBe(after);
  });

  it('names the id, whatever is in it', () => {
    const before = '### Task 3: a\n\n**ID:** a-->b & c\n';
    const after = ticked(before, 'a-->b & c');
    expect(after).toBe(`${before}\n<!-- ✅ Task a--&gt;b & c completed -->\n`);
    expect(parsePlan(encode(after), 'PLAN.md').tasks[0]).toMatchObject({
      state: 'done',
      title: 'a',
    });
  });

  it('in a group, does not touch its neighbours or what is the group’s', () => {
    const before = '## Task 1: g\n- [ ] x\n### Task 1.1: a\n### Task 1.2: b\n- [ ] c\n';
    expect(ticked(before, '1.1')).toBe(
      before.replace(': a\n', ': a\n\n<!-- ✅ Task 1.1 completed -->\n'),
    );
    expect(ticked(before, '1.2')).toBe(before.replace('[ ] c', '[x] c'));
  });
});

describe('differsInMarksOnly', () => {
  const plan = '# Plan\n\n- [ ] a\n  - [ ] b\n\n```\n- [ ] c\n```\n\n## Words\n\nText\n';
  it.each([
    ['nothing', plan, plan, true],
    ['a box', plan, plan.replace('- [ ] a', '- [x] a'), true],
    ['a box inside, by a mark of several bytes', plan, plan.replace('[ ] b', '[✓] b'), true],
    ['a box taken back', plan.replace('[ ] a', '[x] a'), plan, true],
    ['a box in code', plan, plan.replace('[ ] c', '[x] c'), false],
    ['a box and a word', plan, plan.replace('[ ] a', '[x] z'), false],
    ['a box that is none any more', plan, plan.replace('[ ] a', '[] a'), false],
    ['a new box', plan, plan.replace('Text\n', 'Text\n- [ ] d\n'), false],
    ['a box less', plan, plan.replace('  - [ ] b\n', ''), false],
    ['a blank line', plan, plan.replace('\n\n', '\n\n\n'), false],
    ['a last line end', plan, plan.trimEnd(), false],
    ['line ends', plan, plan.replaceAll('\n', '\r\n'), false],
    ['a blank at the end of a line', plan, plan.replace('Text', 'Text '), false],
    ['a byte order mark', plan, `\ufeff${plan}`, false],
    ['two lines in another order', 'a\n\nb\n', 'b\n\na\n', false],
  ])('%s', (_, before, after, expected) => {
    expect(differsInMarksOnly(encode(before), encode(after))).toBe(expected);
  });

  const tasks = '## Task 1: a\n\nWords\n\n## Task 2: b\n';
  const M = '<!-- ✅ Task 1 completed -->';
  it.each([
    ['a marker as tick writes it', ticked(tasks, '1'), true],
    ['a marker in the heading', tasks.replace(': a', `: a ${M}`), true],
    ['a marker without blank lines', tasks.replace('Words\n', `Words\n${M}\n`), true],
    ['a marker with many', tasks.replace('Words\n', `Words\n\n\n${M}\n\n\n`), true],
    ['a marker at the end', `${tasks}\n${M}`, true],
    ['a marker at the top', `${M}\n\n${tasks}`, true],
    ['a marker with a word behind it', tasks.replace('Words\n', `Words\n${M} more\n`), false],
    ['another comment', tasks.replace('Words\n', 'Words\n<!-- completed -->\n'), false],
    ['a marker in code', tasks.replace('Words\n', `Words\n\`${M}\`\n`), false],
    ['a marker, and a word in the same line', tasks.replace(': a', `: z ${M}`), false],
  ])('%s', (_, after, expected) => {
    expect(differsInMarksOnly(encode(tasks), encode(after))).toBe(expected);
    expect(differsInMarksOnly(encode(after), encode(tasks))).toBe(expected);
  });

  it('sees a byte that is no UTF-8 become another', () => {
    const [before, after] = [Uint8Array.of(0x61, 0xff), Uint8Array.of(0x61, 0xfe)];
    expect(differsInMarksOnly(before, after)).toBe(false);
  });
});
