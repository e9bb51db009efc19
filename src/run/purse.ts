import { reached } from '../core/budget.ts';
import type { BudgetConfig } from '../core/config/config.ts';
import type { TaskEvent } from '../core/events.ts';
import { spentOn } from '../core/spending.ts';
import { addUsage, type Usage } from '../core/usage.ts';

type History = readonly TaskEvent[];

/** What one run may spend (`budget`). A task's history holds what was spent on it, its step under way not included. */
export interface Purse {
  /** Notes what a step took. */
  readonly spend: (usage: Usage, history: History) => void;
  /** Whether a step that has taken so much may go on. */
  readonly mayGoOn: (usage: Usage, history: History) => boolean;
  /** Whether nothing more may be spent on a task; if so, that is what stops the run. */
  readonly refuses: (history: History) => boolean;
  /** Notes that a step was ended for it. */
  readonly cut: () => void;
  /** How the budget was reached, where that has stopped the run. */
  readonly whyStopped: () => string | undefined;
}

/** Once it is reached it stays so: whatever it is for, no further attempt of the run begins. */
export function openPurse(budget: BudgetConfig | undefined): Purse {
  let run: Usage = {};
  let why: string | undefined;
  let hasStopped = false;
  const look = (attempt: Usage, history: History): string | undefined => {
    if (budget === undefined) return undefined;
    const task = addUsage(spentOn(history), attempt);
    why ??= reached(budget, { attempt, task, run: addUsage(run, attempt) });
    return why;
  };
  return {
    spend: (usage, history) => {
      look(usage, history);
      run = addUsage(run, usage);
    },
    mayGoOn: (usage, history) => look(usage, history) === undefined,
    refuses: (history) => {
      hasStopped ||= look({}, history) !== undefined;
      return hasStopped;
    },
    cut: () => {
      hasStopped = true;
    },
    whyStopped: () => (hasStopped ? why : undefined),
  };
}
