/** Each `NAME.md` is a plan as people write them, with its traps; `NAME.json` is what a person reads in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import type { Plan, Task } from '../../../src/core/plan/plan.ts';

const folder = join(import.meta.dirname, 'fixtures', 'plans');

interface Sample extends Partial<Pick<Plan, 'form' | 'config' | 'preamble'>> {
  readonly tasks?: readonly Partial<Task>[];
  readonly problems: readonly { readonly line: number; readonly says: string }[];
  readonly ignored?: readonly number[];
  readonly notices?: readonly number[];
  readonly unique_ids?: boolean;
}

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length));

describe('a sample plan', () => {
  it('is there at all', () => expect(names.length).toBeGreaterThan(20));

  it.each(names)('%s is read as a person reads it', (name) => {
    const sample = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Sample;
    const plan = parsePlan(readFileSync(join(folder, `${name}.md`)), `${name}.md`);
    const { problems, tasks, ignored, notices, unique_ids: unique, ...whole } = sample;
    expect(plan.problems.map(({ line }) => line)).toEqual(problems.map(({ line }) => line));
    problems.forEach(({ says }, index) => expect(plan.problems[index]?.message).toContain(says));
    if (tasks)
      expect(plan.tasks).toEqual(tasks.map((task) => expect.objectContaining(task) as Task));
    if (ignored) expect(plan.ignored.map(({ line }) => line)).toEqual(ignored);
    if (notices) expect(plan.notices.map(({ line }) => line)).toEqual(notices);
    if (unique) expect(new Set(plan.tasks.map(({ id }) => id)).size).toBe(plan.tasks.length);
    expect(plan).toMatchObject(whole);
  });
});
