import type { BudgetConfig } from './config/config.ts';
import { spellTokens, spellUsd, tokensOf, type Usage } from './usage.ts';

/** What was spent so far in each span that a budget can be for. */
export interface Spent {
  readonly attempt: Usage;
  readonly task: Usage;
  readonly run: Usage;
}

/** `$5.00 or 2M tokens a task`: for the first line of a run. */
export function spellBudget({ usd, tokens, per = 'run' }: BudgetConfig): string {
  const sums = [
    ...(usd === undefined ? [] : [spellUsd(usd)]),
    ...(tokens === undefined ? [] : [`${spellTokens(tokens)} tokens`]),
  ];
  return sums.join(' or ') + (per === 'run' ? '' : `${per === 'attempt' ? ' an' : ' a'} ${per}`);
}

/** How a budget was reached, in words; undefined while it is not. */
export function reached(budget: BudgetConfig, spent: Spent): string | undefined {
  const per = budget.per ?? 'run';
  const usage = spent[per];
  const tokens = tokensOf(usage) ?? 0;
  if (budget.usd !== undefined && micros(usage.usd ?? 0) >= micros(budget.usd))
    return `the ${per}'s budget of ${spellUsd(budget.usd)} is reached: ${spellUsd(usage.usd ?? 0)} spent`;
  if (budget.tokens !== undefined && tokens >= budget.tokens)
    return `the ${per}'s budget of ${spellTokens(budget.tokens)} tokens is reached: ${spellTokens(tokens)} used`;
  return undefined;
}

/** Whether a task was stopped by what was spent on it over all runs: another run alone changes nothing. */
export function isTasksBudget(why: string | undefined): boolean {
  return why?.startsWith("the task's budget of ") === true;
}

/** Sums of dollars are compared in millionths: 0.7 + 0.1 is 0.8 then. */
function micros(usd: number): number {
  return Math.round(usd * 1e6);
}

/** What of a step the budget cannot count, because it was not reported; undefined where that is nothing. */
export function uncounted({ usd, tokens }: BudgetConfig, usage: Usage): string | undefined {
  if (usd !== undefined && usage.usd === undefined)
    return `its cost was not reported, so the budget of ${spellUsd(usd)} does not count it`;
  if (tokens !== undefined && tokensOf(usage) === undefined)
    return `its tokens were not reported, so the budget of ${spellTokens(tokens)} does not count them`;
  return undefined;
}

/** What an agent has to report for a budget to hold; undefined where it does. */
export function unmeasured(
  budget: BudgetConfig,
  agent: {
    readonly name: string;
    readonly reports: { readonly tokens: boolean; readonly usd: boolean };
  },
): string | undefined {
  if (budget.usd !== undefined && !agent.reports.usd)
    return `budget: ${agent.name} does not report what it costs, so a budget in USD cannot hold: use ${agent.reports.tokens ? '`budget: {tokens: …}`' : '`tokens` with an agent that reports them'} or \`max_time\``;
  if (budget.tokens !== undefined && !agent.reports.tokens)
    return `budget: ${agent.name} does not report its tokens, so a budget of \`tokens\` cannot hold: use \`max_time\``;
  return undefined;
}

/** What can be limited of all these agents instead. */
export function measurable(
  agents: readonly { readonly reports: { readonly tokens: boolean } }[],
): string {
  const isCounted = agents.every(({ reports }) => reports.tokens);
  return isCounted ? 'budget: {tokens: 2M}, or max_time: 4h' : 'max_time: 4h';
}
