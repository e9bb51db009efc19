import { expect, test } from 'vitest';
import { planChange } from '../../../src/core/plan-change.ts';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import { skip } from '../../../src/core/plan/skip.ts';
import { tick } from '../../../src/core/plan/tick.ts';
import type { Task } from '../../../src/core/plan/plan.ts';
import { textMark } from '../../../src/core/text-mark.ts';
import { toldIn } from '../../../src/core/told.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const tasks = (plan: Uint8Array): readonly Task[] => parsePlan(plan, 'PLAN.md').tasks;
const marks = (plan: Uint8Array): readonly string[] =>
  tasks(plan).map(({ text }) => textMark(text));

const plans = [
  '- [ ] One\n  - [ ] inner\n- [ ] Two\r\n  text\r\n',
  '## Task A1: One\n\ndo\n\n## Task A2: Two\n\n- [ ] this\n- [x] that\n',
  '# P\n\n## Task A1: One\n```sh\nopen fence\n',
];

test.each(plans)('the mark is the same once the task is ticked: %j', (text) => {
  const before = bytes(text);
  for (const { id } of tasks(before))
    expect(marks(tick(before, 'PLAN.md', id))).toEqual(marks(before));
});

test('another word is another mark, another line end is not', () => {
  const [mark] = marks(bytes('- [ ] One\n  with text\n'));
  expect(mark).toMatch(/^[0-9a-f]{14}$/);
  expect(marks(bytes('- [x] One\r\n  with text  \r\n'))).toEqual([mark]);
  expect(marks(bytes('- [ ] One\n  with texts\n'))).not.toEqual([mark]);
});

test.each(plans)('a task is skipped with a mark, and nothing else changes: %j', (text) => {
  for (const { id } of tasks(bytes(text))) {
    const skipped = skip(bytes(text), 'PLAN.md', id);
    const states = tasks(skipped).map((task) => [task.id, task.state === 'skipped']);
    expect(states).toEqual(tasks(bytes(text)).map((task) => [task.id, task.id === id]));
    expect(skip(skipped, 'PLAN.md', id)).toEqual(skipped);
  }
});

test('of a box, one byte', () => {
  const text = '- [ ] One\r\n  - [ ] inner\r\n';
  expect(new TextDecoder().decode(skip(bytes(text), 'PLAN.md', 'one'))).toBe(
    '- [-] One\r\n  - [ ] inner\r\n',
  );
});

test('how one plan became another', () => {
  const [before, now] = ['- [ ] A\n- [ ] B\n- [ ] C\n', '- [-] C\n- [ ] A\n  more\n- [ ] D\n'];
  expect(planChange(tasks(bytes(before)), tasks(bytes(now)))).toEqual({
    added: ['d'],
    removed: ['b'],
    changed: ['c', 'a'],
  });
  expect(planChange(tasks(bytes(before)), tasks(bytes(before)))).toBeUndefined();
  const turned = tasks(bytes('- [ ] C\n- [ ] A\n- [ ] B\n'));
  expect(planChange(tasks(bytes(before)), turned)).toEqual({ added: [], removed: [], changed: [] });
});

test('what was told before a task passed is of no use afterwards', () => {
  const note = (text: string) => ({ type: 'task.told', note: text, text, by: 'a@b' }) as const;
  const passed = { type: 'checkpoint.created', tag: 't', commit: 'c' } as const;
  expect(toldIn([note('old'), passed, note('first'), note('second')])).toEqual(['first', 'second']);
});
