import type { FoldedHistory, History } from '../src/index.ts';
import { Refusal } from '../src/index.ts';

/** That there is neither a plan nor a history at the path. */
export function noPlan({ planPath }: Pick<History, 'planPath'>, command: string): Refusal {
  return new Refusal(2, `no plan: ${planPath} is not there`, `skeleton ${command} --plan PATH`);
}

/** Throws Refusal(2) where a plan was named, and there is neither that plan nor a history of it. */
export function refuseMistyped(
  asked: string | undefined,
  history: History | FoldedHistory,
  command: string,
): void {
  const isKnown =
    'past' in history
      ? history.past.tasks.length + history.past.runs.length > 0
      : history.events.length > 0;
  if (asked !== undefined && history.plan === undefined && !isKnown) throw noPlan(history, command);
}
