import type { Task } from './plan/plan.ts';
import { textMark } from './text-mark.ts';

export interface PlanChange {
  /** Ids of tasks. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Another text, marks left aside, or skipped. */
  readonly changed: readonly string[];
}

/** How the tasks of a plan became others; undefined where they are the same, in the same order. */
export function planChange(before: readonly Task[], now: readonly Task[]): PlanChange | undefined {
  const was = new Map(before.map((task) => [task.id, task]));
  const is = new Map(now.map((task) => [task.id, task]));
  const added = now.filter(({ id }) => !was.has(id)).map(({ id }) => id);
  const removed = before.filter(({ id }) => !is.has(id)).map(({ id }) => id);
  const changed = now.filter((task) => isOther(was.get(task.id), task)).map(({ id }) => id);
  const order = (tasks: readonly Task[]): string => JSON.stringify(tasks.map(({ id }) => id));
  const isSame = added.length + removed.length + changed.length === 0;
  return isSame && order(before) === order(now) ? undefined : { added, removed, changed };
}

function isOther(before: Task | undefined, now: Task): boolean {
  if (before === undefined) return false;
  const isSkipped = now.state === 'skipped' && before.state !== 'skipped';
  return isSkipped || textMark(before.text) !== textMark(now.text);
}
