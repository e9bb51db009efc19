import type { AttemptSummary } from '../core/attempt-summary.ts';
import type { RunCounts } from '../core/events.ts';
import { describeFailure, describeVoid } from '../core/failure.ts';
import type { ReportedTask, RunReport } from '../core/run-report.ts';
import { oneLine } from '../core/text.ts';

/** What every report of a run says in the same words; texts of strangers are on one line, and escaped for no format yet. */

/** `failed: rejected by tests.sh`, `blocked: parse failed`, `passed`. */
export function taskWords(task: ReportedTask): string {
  const why = reasonOf(task);
  return why === '' ? task.state : `${task.state}: ${oneLine(why)}`;
}

function reasonOf({ state, why = '', attempts }: ReportedTask): string {
  const outcome = attempts.at(-1)?.outcome;
  if (state === 'pending') return outcome === undefined ? why : pendingWords(outcome, why);
  if (state === 'failed' && outcome?.kind === 'rejected') return describeFailure(outcome.failure);
  return state === 'failed' || state === 'blocked' ? why : '';
}

function pendingWords(outcome: AttemptSummary['outcome'], why: string): string {
  if (outcome.kind === 'open') return 'under way, or cut off';
  return outcome.kind === 'voided' ? describeVoid(outcome.why) : why;
}

const counted = ['passed', 'unjudged', 'failed', 'blocked', 'pending', 'skipped'] as const;

/** `1 passed, 1 failed`; of a run that goes on, or was cut off, as far as it came. */
export function countWords(report: RunReport): string {
  const counts = report.run.counts ?? countsSoFar(report.tasks);
  const words = counted.filter((word) => counts[word] > 0).map((word) => `${counts[word]} ${word}`);
  return words.join(', ') || 'nothing done';
}

function countsSoFar(tasks: readonly ReportedTask[]): RunCounts {
  const of = (...states: readonly ReportedTask['state'][]): number =>
    tasks.filter(({ state }) => states.includes(state)).length;
  return {
    passed: of('passed', 'unproven', 'ticked'),
    unjudged: of('unjudged'),
    failed: of('failed'),
    blocked: of('blocked'),
    pending: of('pending'),
    skipped: of('skipped'),
  };
}

/** How the run ended: `exit 1`, `exit 4: limit`; that it goes on, or died, where it has not. */
export function endWords({ run }: RunReport): string {
  if (run.status === undefined) return 'goes on, or was cut off';
  const why = run.why ?? '';
  const tells = why !== '' && why !== 'done' && why !== 'failed';
  return `exit ${run.status}${tells ? `: ${oneLine(why)}` : ''}`;
}

/** The gates that kept an attempt from passing: those that rejected it, else those that could not judge. */
export function gatesAgainst({ gates, outcome }: AttemptSummary): AttemptSummary['gates'] {
  const hard = gates.filter(({ soft }) => !soft);
  if (outcome.kind === 'rejected')
    return hard.filter(({ verdict }) => verdict === 'fail' || verdict === 'timeout');
  const isOpen = outcome.kind === 'voided' && outcome.why === 'gate-error';
  return isOpen ? hard.filter(({ verdict }) => verdict === 'error') : [];
}

/** A run among others: its id, and where it was. */
export function hostedRun({ run, host }: RunReport['run']): string {
  return host === undefined ? run : `${run} on ${host}`;
}
