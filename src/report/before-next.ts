import { isTasksBudget } from '../core/budget.ts';
import type { Summary, TaskSummary } from '../core/summary.ts';
import { oneLine } from '../core/text.ts';
import { clockTime } from './clock-time.ts';

/** What a pending task waits for, where that is still to come: `claude until 19:03`; '' for nothing. `now`: ISO 8601, UTC. */
export function waitOf({ waits }: TaskSummary, now: string): string {
  if (waits === undefined || Date.parse(waits.until) <= Date.parse(now)) return '';
  return oneLine(`${waits.agent ?? 'the agent'} until ${clockTime(waits.until, now)}`);
}

/** Why the command that goes on would end where the last one did, as a comment in a shell's words; '' where it would not. */
export function beforeNext({ tasks }: Summary, now: string): string {
  const wait = tasks.map((task) => waitOf(task, now)).find((text) => text !== '');
  if (wait !== undefined) return `  # waits for ${wait}; another --agent goes on at once`;
  const isSpent = tasks.some(({ state, why }) => state === 'pending' && isTasksBudget(why));
  return isSpent ? '  # stops again until the budget is raised: `budget:`, or --budget USD' : '';
}
