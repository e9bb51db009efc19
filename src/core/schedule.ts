import { nearest } from './config/nearest.ts';
import type { Plan, Task } from './plan/plan.ts';

/**
 * Where a task stands in this run. `settled`: it ended without a checkpoint (failed, or blocked).
 * `idle`: not passed, and not part of this run.
 */
export type Standing = 'satisfied' | 'open' | 'settled' | 'idle';

export interface Selection {
  /** Ids or numbers that the user named; empty for all. */
  readonly named: readonly string[];
  readonly from: string | undefined;
  /** At most so many tasks are begun. */
  readonly limit: number;
}

export interface Selected {
  /** Pending tasks to run, in the plan's order. */
  readonly tasks: readonly Task[];
  /** What forbids the run: an unknown task, a declared need that is neither met nor part of the run. */
  readonly problems: readonly string[];
}

/** Which tasks a run works on (contract, "Commands" and "PLAN.md"). */
export function select(plan: Plan, selection: Selection): Selected {
  const problems: string[] = [];
  const find = (name: string): Task | undefined => {
    const task = findTask(plan, name);
    if (task === undefined) problems.push(noSuchTask(plan, name));
    return task;
  };
  const named = selection.named.flatMap((name) => find(name) ?? []);
  const from = selection.from === undefined ? undefined : find(selection.from);
  if (problems.length > 0) return { tasks: [], problems };
  const wanted = plan.tasks.filter(
    (task) =>
      task.state === 'pending' &&
      (named.length === 0 || named.includes(task)) &&
      (from === undefined || plan.tasks.indexOf(task) >= plan.tasks.indexOf(from)),
  );
  const tasks = wanted.slice(0, selection.limit);
  return { tasks, problems: unmetNeeds(plan, tasks) };
}

/** A task by its id, else by its number in the plan's order (`2`, `Task 2`). */
export function findTask(plan: Plan, name: string): Task | undefined {
  const byId = plan.tasks.find((task) => task.id === name);
  if (byId) return byId;
  const digits = /^(?:task\s*)?#?(\d+)$/i.exec(name.trim())?.[1];
  return digits === undefined ? undefined : plan.tasks[Number(digits) - 1];
}

/** That a plan has no such task, and which was meant, maybe. */
export function noSuchTask(plan: Plan, name: string): string {
  const some = plan.tasks.slice(0, 8).map((task) => task.id);
  const more = plan.tasks.length > some.length ? ', …' : '';
  const near = nearest(
    name,
    plan.tasks.map(({ id }) => id),
  );
  const hint = near === undefined ? `it has ${some.join(', ')}${more}` : `did you mean '${near}'?`;
  return `${plan.path} has no task '${name}': ${hint}`;
}

function unmetNeeds(plan: Plan, tasks: readonly Task[]): string[] {
  const within = new Set(tasks.map((task) => task.id));
  const met = new Set(plan.tasks.filter((t) => t.state !== 'pending').map((task) => task.id));
  return tasks
    .filter((task) => task.explicitNeeds)
    .flatMap((task) =>
      task.needs
        .filter((need) => !met.has(need) && !within.has(need))
        .map(
          (need) =>
            `${plan.path}:${task.line}: task '${task.id}' needs '${need}', which is not done: run ${need} first, or both`,
        ),
    );
}

export interface WaitRules {
  /** After a failure only declared needs block. */
  readonly keepGoing: boolean;
  /** Ids whose wait for the task before them is lifted, because the user named them. */
  readonly lifted: ReadonlySet<string>;
}

/** The first task, in the plan's order, that may start now; undefined when none may. */
export function pick(
  tasks: readonly Task[],
  standing: (id: string) => Standing,
  rules: WaitRules,
): Task | undefined {
  return tasks.find(
    (task) => standing(task.id) === 'open' && unmet(task, standing, rules).length === 0,
  );
}

/** The needs that a task still waits for. */
export function unmet(
  task: Task,
  standing: (id: string) => Standing,
  rules: WaitRules,
): readonly string[] {
  return task.needs.filter((need) => !isMet(task, standing(need), rules));
}

function isMet(task: Task, need: Standing, rules: WaitRules): boolean {
  if (need === 'satisfied') return true;
  if (task.explicitNeeds) return false;
  return need === 'idle' || rules.lifted.has(task.id) || (rules.keepGoing && need === 'settled');
}
