import type { Plan, Task } from '../../src/core/plan/plan.ts';

/** A task as the parser would give it; `needs` is the positional predecessor unless given. */
export function aTask(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    title: `Make ${id}`,
    state: 'pending',
    needs: [],
    explicitNeeds: false,
    line: 1,
    text: `- [ ] Make ${id}`,
    goal: '',
    acceptance: [],
    files: [],
    config: {},
    ...more,
  };
}

/** Tasks one after another, each waiting for the one before it unless it says otherwise. */
export function aPlan(tasks: readonly Task[]): Plan {
  const placed = tasks.map((task, i) => {
    const before = tasks[i - 1];
    const needs = task.explicitNeeds || before === undefined ? task.needs : [before.id];
    return { ...task, needs, line: i + 1 };
  });
  return {
    path: 'PLAN.md',
    config: {},
    preamble: '',
    form: 'boxes',
    tasks: placed,
    ignored: [],
    problems: [],
    notices: [],
  };
}
