import { describe, expect, it } from 'vitest';
import { partFrontMatter, planTextIn } from '../../../src/core/plan/draft-text.ts';
import { judgeDraft, mostTasks, mostWords } from '../../../src/core/plan/judge-draft.ts';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';

const plan = '# P\n\n## Task T1: a\n\n**Acceptance:**\n\n- [ ] it works\n';

describe('the plan in an answer', () => {
  it.each([
    ['as it is', plan],
    ['after words', `Sure! Here is it.\n\n${plan}`],
    ['in a block, with words around it', `Sure:\n\n\`\`\`markdown\n${plan}\`\`\`\n\nTell me more.`],
    ['in a longer block', `~~~~md\n${plan}~~~~`],
    ['in a block that is not closed', `\`\`\`\n${plan}`],
    ['with a mark and line ends of another system', `\uFEFF${plan.replaceAll('\n', '\r\n')}`],
  ])('%s', (_, answer) => {
    expect(planTextIn(answer)).toBe(plan);
  });

  it('keeps blocks of code inside of it', () => {
    const inner = plan.replace('it works', 'it works\n\n```sh\nnpm test\n```');
    expect(planTextIn(`\`\`\`markdown\n${inner}\`\`\`\n`)).toBe(inner);
    expect(planTextIn(inner)).toBe(inner);
  });

  it('is nothing where there is none', () => {
    for (const answer of ['', 'I cannot.', '```js\nlet a\n```'])
      expect(planTextIn(answer)).toBe('');
  });

  it('begins with a box, or with front matter', () => {
    expect(planTextIn('Well:\n- [ ] a\n')).toBe('- [ ] a\n');
    expect(planTextIn('---\na: b\n---\n- [ ] a')).toBe('---\na: b\n---\n- [ ] a\n');
  });
});

it('parts front matter from the rest', () => {
  expect(partFrontMatter('---\na: b\n---\n# x')).toEqual({
    front: '---\na: b\n---\n',
    rest: '# x',
  });
  expect(partFrontMatter('---\r\na: b\r\n---\r\nx')).toEqual({
    front: '---\r\na: b\r\n---\r\n',
    rest: 'x',
  });
  expect(partFrontMatter('---\n---\nx').front).toBe('---\n---\n');
  expect(partFrontMatter('# x\n---\n')).toEqual({ front: '', rest: '# x\n---\n' });
});

describe('what is judged of a draft', () => {
  const told = (text: string, before?: string): readonly string[] =>
    judgeDraft(
      text,
      before === undefined ? undefined : parsePlan(new TextEncoder().encode(before), 'PLAN.md'),
    ).map(({ line, message }) => `${line} ${message}`);

  it('nothing is wrong with a good one, of boxes too', () => {
    expect(told(plan)).toEqual([]);
    expect(told('- [ ] a\n- [ ] b\n')).toEqual([]);
  });

  it('what the parser says, and what is too large', () => {
    expect(told('# nothing\n')[0]).toMatch(/^1 no task in this plan/);
    expect(told(plan.replace('it works', 'x '.repeat(mostWords)))[0]).toMatch(/words: at most 400/);
    expect(told(`- [ ] a\n`.repeat(mostTasks + 1))[0]).toBe('1 101 tasks: at most 100');
    expect(told('x'.repeat(300_000))).toEqual(['1 the plan is larger than 256 KiB']);
  });

  it('nothing to do, and what nobody has done', () => {
    const ticked = plan.replace('[ ]', '[x]');
    expect(told(ticked)).toEqual([
      '1 no task is pending, so there is nothing to do',
      '3 task `T1`: it is marked as done, and nothing has done it',
    ]);
    expect(told(ticked, ticked)).toEqual(['1 no task is pending, so there is nothing to do']);
  });

  it('what a person said of a task may stay, and only that', () => {
    const gated = plan.replace('\n\n**Acc', '\n**Gate:** npm test\n\n**Acc');
    expect(told(gated)).toEqual(['3 task `T1`: leave out `gate`: that is for a person to add']);
    expect(told(gated, gated)).toEqual([]);
    expect(told(gated.replace('it works', 'it works well'), gated)).toEqual([]);
    expect(told(gated.replace('npm test', 'true'), gated)).toHaveLength(1);
  });
});
