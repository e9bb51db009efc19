import type { AttemptSummary } from '../core/attempt-summary.ts';
import {
  attemptName,
  reportOf,
  type AttemptDetail,
  type AttemptDetails,
  type RunReport,
} from '../core/run-report.ts';
import { followHistory } from './follow-history.ts';
import type { History } from './history.ts';
import { isDead } from './is-dead.ts';
import { readAttempt } from './read-attempt.ts';
import { mostOfText, noRun } from './read-report.ts';

export interface FollowedReport {
  /** Undefined where no run is there yet. */
  readonly report: RunReport | undefined;
  readonly details: AttemptDetails;
  /** Its process is gone, and no end of it was recorded. */
  readonly hasDied: boolean;
  readonly history: History;
}

/**
 * The report of a run as it is now, and again whenever something was written (followHistory): of the last run, also of one that begins
 * meanwhile, unless an id is given. What is kept of an attempt is read once, and again only when the attempt has
 * changed. Throws Refusal(2) where the plan has no run of that id.
 */
export async function* followReport(
  options: Parameters<typeof followHistory>[0] & { readonly run?: string },
  signal: AbortSignal,
  trouble?: (error: unknown) => void,
): AsyncGenerator<FollowedReport, void, void> {
  let known: AttemptDetails = new Map();
  for await (const { history, living } of followHistory(options, signal, trouble)) {
    const report = reportOf(history.events, history.plan?.tasks, options.run);
    if (report === undefined && options.run !== undefined) throw noRun(history, options.run);
    known = report === undefined ? new Map() : await detailsOf(report, history, known);
    const hasDied = report !== undefined && isDead(report, history, living);
    yield { report, details: known, hasDied, history };
  }
}

async function detailsOf(
  report: RunReport,
  history: History,
  known: AttemptDetails,
): Promise<AttemptDetails> {
  const reading = { texts: 'all', most: mostOfText(report) } as const;
  const details = new Map<string, AttemptDetail>();
  for (const { title, attempts } of report.tasks)
    for (const attempt of attempts) {
      const name = attemptName(attempt);
      const same = unchanged(known.get(name), attempt);
      details.set(name, same ?? (await readAttempt(history, title, attempt, reading)));
    }
  return details;
}

function unchanged(
  known: AttemptDetail | undefined,
  attempt: AttemptSummary,
): AttemptDetail | undefined {
  return JSON.stringify(known?.attempt) === JSON.stringify(attempt) ? known : undefined;
}
