import type { TaskConfig } from '../config/config.ts';
import { propertyOf } from '../config/keys.ts';
import { parsePlan } from './parse-plan.ts';
import type { Plan, Task } from './plan.ts';
import { byLine, quote, type Problem } from './problem.ts';

export const mostTasks = 100;
export const mostWords = 400;
/** Bytes. */
const LARGEST = 256 * 1024;

/** What lets a task do more, or runs something: for a person to say, not for a document that somebody wrote. */
const forPeople = ['gate', 'agent', 'model', 'may_change', 'allow_empty'] as const;

/**
 * What keeps a drafted plan from being taken (docs/plan-drafting.md): the parser's own problems, and what a good plan of tasks
 * needs beyond them. `before`: the plan that it is to replace.
 */
export function judgeDraft(text: string, before: Plan | undefined): readonly Problem[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > LARGEST)
    return [{ line: 1, message: `the plan is larger than ${LARGEST / 1024} KiB` }];
  const plan = parsePlan(bytes, 'PLAN.md');
  const olds = new Map((before?.tasks ?? []).map((task) => [task.id, task]));
  return byLine([
    ...plan.problems,
    ...ofWhole(plan),
    ...ofPast(plan, before),
    ...plan.tasks.flatMap((task) => ofTask(task, olds.get(task.id), plan.form)),
  ]);
}

function ofWhole({ tasks, problems }: Plan): readonly Problem[] {
  const pending = tasks.filter(({ state }) => state === 'pending');
  const found: Problem[] = [];
  if (tasks.length > mostTasks)
    found.push({ line: 1, message: `${tasks.length} tasks: at most ${mostTasks}` });
  if (pending.length === 0 && tasks.length > 0 && problems.length === 0)
    found.push({ line: 1, message: 'no task is pending, so there is nothing to do' });
  return found;
}

/** Done stays done. */
function ofPast({ tasks }: Plan, before: Plan | undefined): readonly Problem[] {
  const now = new Map(tasks.map((task) => [task.id, task]));
  return (before?.tasks ?? [])
    .filter(({ id, state }) => state === 'done' && now.get(id)?.state !== 'done')
    .map(({ id }) => ({
      line: now.get(id)?.line ?? 1,
      message: `task ${quote(id)} is done in the plan that is there: it stays, with its id and its mark`,
    }));
}

function ofTask(task: Task, old: Task | undefined, form: Plan['form']): readonly Problem[] {
  const { id, line } = task;
  const told = (message: string): Problem => ({ line, message: `task ${quote(id)}: ${message}` });
  if (old?.text === task.text) return [];
  const words = task.text.split(/\s+/).filter((word) => word !== '').length;
  return [
    ...(words > mostWords ? [told(`${words} words: at most ${mostWords}`)] : []),
    ...(task.state === 'done' && old?.state !== 'done'
      ? [told('it is marked as done, and nothing has done it')]
      : []),
    ...(form === 'headings' && task.state === 'pending' && task.acceptance.length === 0
      ? [told('it has no acceptance criteria: say what somebody can check')]
      : []),
    ...forPeople
      .filter((key) => isNew(key, task.config, old?.config))
      .map((key) => told(`leave out \`${key}\`: that is for a person to add`)),
  ];
}

function isNew(key: string, now: TaskConfig, old: TaskConfig | undefined): boolean {
  const name = propertyOf(key) as keyof TaskConfig;
  const value = now[name];
  return value !== undefined && JSON.stringify(value) !== JSON.stringify(old?.[name]);
}
