import { describe, expect, test } from 'vitest';
import type { Plan, Task } from '../../../src/core/plan/plan.ts';
import { checkData, checkStatus, renderCheck } from '../../../src/report/check.ts';
import type { CheckFacts } from '../../../src/report/check.ts';
import { plainStyle } from '../../../src/report/style.ts';

function task(id: string, changes: Partial<Task> = {}): Task {
  return {
    id,
    title: `Title of ${id}`,
    state: 'pending',
    needs: [],
    explicitNeeds: false,
    line: 1,
    text: '',
    goal: '',
    acceptance: [],
    files: [],
    config: {},
    ...changes,
  };
}

const plan: Plan = {
  path: 'docs/PLAN.md',
  config: {},
  preamble: '',
  form: 'boxes',
  tasks: [task('a', { line: 3, state: 'done' }), task('b', { line: 4, needs: ['a'] })],
  ignored: [{ line: 9, why: 'under "Success criteria"' }],
  problems: [],
  notices: [{ line: 4, message: 'mark ~ is read as pending' }],
};

function facts(changes: Partial<CheckFacts> = {}): CheckFacts {
  return {
    plan,
    problems: [],
    environment: [],
    gates: ['lint.sh', 'test.sh'],
    notify: [],
    warnings: [],
    ...changes,
  };
}

const problem = { file: 'docs/PLAN.md', line: 2, column: 5, message: 'unknown key `atempts`' };
const dirty = { message: 'the work tree is dirty:\n   M x', mend: 'git stash\n\ngit commit' };

describe('check', () => {
  test('says how the plan was read', () => {
    expect(`${renderCheck(facts(), plainStyle)}\n`).toBe(
      `docs/PLAN.md: read as boxes; 2 tasks, 1 to do
gates: lint.sh, test.sh

line  task  state    needs  title
3     a     done     -      Title of a
4     b     pending  a      Title of b

docs/PLAN.md:9: no task: under "Success criteria"
docs/PLAN.md:4: notice: mark ~ is read as pending
ready; skeleton gate tries the gates on what is here
`,
    );
  });

  test('is not simply ready where nobody would work', () => {
    const last = renderCheck(facts({ agentStatus: 3 }), plainStyle)
      .split('\n')
      .at(-1);
    expect(last).toBe(
      'ready, but for the agent: unless one is named there, skeleton run would end with 3',
    );
  });

  test('says what is wrong, each with its place, and what mends the rest', () => {
    const lines = renderCheck(facts({ problems: [problem], environment: [dirty] }), plainStyle);
    expect(lines.split('\n').slice(-6)).toEqual([
      'docs/PLAN.md:2:5: unknown key `atempts`',
      'not ready: the work tree is dirty:',
      '   M x',
      '    git stash',
      '    git commit',
      '1 problem to mend',
    ]);
  });

  test('2 with problems, else 3 when something is not ready, else 0', () => {
    expect(checkStatus(facts({ problems: [problem], environment: [dirty] }))).toBe(2);
    expect(checkStatus(facts({ environment: [dirty] }))).toBe(3);
    expect(checkStatus(facts())).toBe(0);
  });

  test('as data it is what the contract says', () => {
    expect(checkData(facts({ problems: [problem], environment: [dirty] }))).toEqual({
      tasks: [
        { id: 'a', title: 'Title of a', state: 'done', needs: [], line: 3 },
        { id: 'b', title: 'Title of b', state: 'pending', needs: ['a'], line: 4 },
      ],
      ignored: [9],
      problems: [problem],
      notices: [{ line: 4, message: 'mark ~ is read as pending' }],
      environment: [dirty],
      gates: ['lint.sh', 'test.sh'],
    });
  });
});
