import { spellBudget } from '../core/budget.ts';
import type { BudgetConfig } from '../core/config/config.ts';
import type { EventOf } from '../core/history.ts';
import { oneLine } from '../core/text.ts';
import { spellLimit } from '../core/duration.ts';

/**
 * The first lines of a run (contract, "Exit status"): what it may cost at worst, and whose the work tree is meanwhile.
 * The options are read as they were recorded; what is not there is not spoken of.
 */
export function renderRunStart(event: EventOf<'run.started'>): readonly string[] {
  const branch =
    event.branch === '' ? 'a detached HEAD' : event.branch.replace(/^refs\/heads\//, '');
  const { isolated } = event.options;
  const place =
    typeof isolated === 'string'
      ? `in ${oneLine(isolated)}; your own work tree is left alone`
      : "until the run ends the work tree is the run's: what you save there counts as the attempt's";
  const take = event.options['take'];
  if (typeof take === 'string')
    return [
      `${oneLine(event.plan)}: the work tree is judged as the next attempt of ${oneLine(take)}, on branch ${oneLine(branch)}`,
    ];
  return [
    `${oneLine(event.plan)}: ${worstCase(event.options)}`,
    `branch ${oneLine(branch)}; ${place}`,
  ];
}

function worstCase(options: EventOf<'run.started'>['options']): string {
  const tasks = Array.isArray(options['tasks']) ? options['tasks'].length : 0;
  const attempts = numberIn(options, 'attempts') ?? 0;
  const agent = numberIn(options, 'timeout') ?? 0;
  const gates = numberIn(options, 'gateTimeout') ?? 0;
  const maxTime = numberIn(options, 'maxTime') ?? Infinity;
  const stages = numberIn(options, 'stages') ?? 1;
  const most = tasks * attempts * (stages * agent + gates);
  const each = `${stages === 1 ? '' : `${stages} steps × `}${spellLimit(agent)}`;
  const limits = gates === 0 ? each : `(${each} agent + ${spellLimit(gates)} gates)`;
  const cutOff = most > maxTime ? `, cut off after ${spellLimit(maxTime)}` : '';
  const times = `${count(tasks, 'task')} × ${count(attempts, 'attempt')} × ${limits}`;
  return `at worst ${times} = ${spellLimit(most)}${cutOff}; ${budgetOf(options)}`;
}

function budgetOf({ budget }: EventOf<'run.started'>['options']): string {
  return isBudget(budget) ? `budget ${spellBudget(budget)}` : 'no budget set';
}

/** As the run recorded it. */
function isBudget(value: unknown): value is BudgetConfig {
  return typeof value === 'object' && value !== null && ('usd' in value || 'tokens' in value);
}

function numberIn(options: EventOf<'run.started'>['options'], key: string): number | undefined {
  const value = options[key];
  return typeof value === 'number' ? value : undefined;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
