import { describe, expect, test } from 'vitest';
import { findTask, pick, select, unmet, type Standing } from '../../../src/core/schedule.ts';
import { aPlan, aTask } from '../../support/plans.ts';

const all = { named: [], from: undefined, limit: Infinity };
const ids = (tasks: readonly { id: string }[]): string[] => tasks.map((task) => task.id);
const standing =
  (map: Record<string, Standing>) =>
  (id: string): Standing =>
    map[id] ?? 'open';
const strict = { keepGoing: false, lifted: new Set<string>() };

describe('select', () => {
  const plan = aPlan([
    aTask('a', { state: 'done' }),
    aTask('b'),
    aTask('c', { state: 'skipped' }),
    aTask('d', { needs: ['b'], explicitNeeds: true }),
    aTask('e'),
  ]);

  test('takes pending tasks in order, up to the limit', () => {
    expect(ids(select(plan, all).tasks)).toEqual(['b', 'd', 'e']);
    expect(ids(select(plan, { ...all, limit: 1 }).tasks)).toEqual(['b']);
  });

  test('takes those named, by id or number, and those from one on', () => {
    expect(ids(select(plan, { ...all, named: ['e', '2'] }).tasks)).toEqual(['b', 'e']);
    expect(ids(select(plan, { ...all, from: 'c' }).tasks)).toEqual(['d', 'e']);
  });

  test('refuses an unknown task and a declared need that the run leaves out', () => {
    expect(select(plan, { ...all, named: ['nope'] }).problems).toEqual([
      "PLAN.md has no task 'nope': it has a, b, c, d, e",
    ]);
    const parser = aPlan([aTask('parser'), aTask('lexer')]);
    expect(select(parser, { ...all, named: ['praser'] }).problems).toEqual([
      "PLAN.md has no task 'praser': did you mean 'parser'?",
    ]);
    expect(select(plan, { ...all, named: ['d'] }).problems[0]).toMatch(
      /^PLAN.md:4: task 'd' needs 'b'/,
    );
    expect(select(plan, { ...all, named: ['d', 'b'] }).problems).toEqual([]);
    expect(select(plan, { ...all, named: ['e'] }).problems).toEqual([]);
  });

  test('an id wins over a number', () => {
    const numbered = aPlan([aTask('2'), aTask('1')]);
    expect(findTask(numbered, '1')?.id).toBe('1');
    expect(findTask(numbered, 'Task 2')?.id).toBe('1');
  });
});

describe('pick', () => {
  const { tasks } = aPlan([
    aTask('a'),
    aTask('b'),
    aTask('c', { needs: ['a'], explicitNeeds: true }),
    aTask('d'),
  ]);

  test('takes the first whose needs are met', () => {
    expect(pick(tasks, standing({}), strict)?.id).toBe('a');
    expect(pick(tasks, standing({ a: 'satisfied' }), strict)?.id).toBe('b');
    expect(pick(tasks, standing({ a: 'satisfied', b: 'settled' }), strict)?.id).toBe('c');
  });

  test('after a failure what waits for it is blocked, the rest goes on', () => {
    const failed = standing({ a: 'settled' });
    expect(pick(tasks, failed, strict)).toBeUndefined();
    expect(unmet(tasks[1] ?? aTask('?'), failed, strict)).toEqual(['a']);
  });

  test('keep-going lets only declared needs block', () => {
    const failed = standing({ a: 'settled' });
    const keepGoing = { ...strict, keepGoing: true };
    expect(pick(tasks, failed, keepGoing)?.id).toBe('b');
    expect(pick(tasks, standing({ a: 'settled', b: 'satisfied' }), keepGoing)).toBeUndefined();
  });

  test('naming a task lifts its wait by position, not a declared one', () => {
    const lifted = { ...strict, lifted: new Set(['b', 'c']) };
    expect(pick(tasks.slice(1, 3), standing({ a: 'settled' }), lifted)?.id).toBe('b');
    expect(pick(tasks.slice(2, 3), standing({ a: 'settled' }), lifted)).toBeUndefined();
  });

  test('a task that is no part of the run holds up nothing by position', () => {
    expect(pick(tasks.slice(1), standing({ a: 'idle' }), strict)?.id).toBe('b');
  });
});
