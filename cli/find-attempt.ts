import type { AttemptSummary } from '../src/core/attempt-summary.ts';
import { nearest } from '../src/core/config/nearest.ts';
import type { TaskSummary } from '../src/core/summary.ts';
import { Refusal } from '../src/index.ts';

export interface FoundAttempt {
  readonly task: TaskSummary;
  readonly attempt: AttemptSummary;
}

/** The attempt that `TASK#N` names, or the last one of `TASK`. Throws Refusal(2) where there is none. */
export function findAttempt(tasks: readonly TaskSummary[], asked: string): FoundAttempt {
  const { task, number } = parseAttempt(tasks, asked);
  const attempt =
    number === undefined
      ? task.attempts.at(-1)
      : task.attempts.find((one) => one.number === number);
  if (attempt !== undefined) return { task, attempt };
  if (task.attempts.length === 0)
    throw new Refusal(2, `task '${task.id}' has no attempt yet`, 'skeleton run');
  throw new Refusal(2, `task '${task.id}' has no attempt ${number ?? ''}`, 'skeleton log');
}

/** An id may itself end like `#2`: a task of exactly that name goes first. */
function parseAttempt(
  tasks: readonly TaskSummary[],
  asked: string,
): { readonly task: TaskSummary; readonly number: number | undefined } {
  const whole = findTask(tasks, asked);
  if (whole !== undefined) return { task: whole, number: undefined };
  const [, name = asked, number] = /^(.+)#(\d+)$/.exec(asked) ?? [];
  const task = findTask(tasks, name);
  if (task === undefined) throw unknownTask(tasks, name);
  return { task, number: number === undefined ? undefined : Number(number) };
}

function findTask(tasks: readonly TaskSummary[], name: string): TaskSummary | undefined {
  const byId = tasks.find((task) => task.id === name);
  return byId ?? (/^\d+$/.test(name) ? tasks[Number(name) - 1] : undefined);
}

function unknownTask(tasks: readonly TaskSummary[], name: string): Refusal {
  const ids = tasks.map((task) => task.id);
  const near = nearest(name, ids);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  return new Refusal(2, `there is no task '${name}'${hint}`, 'skeleton status');
}
