import type { RunCounts } from '../core/events.ts';
import { describeFailure, describeVoid } from '../core/failure.ts';
import type { EventOf } from '../core/history.ts';
import { shortRef } from '../core/refs.ts';
import type { Summary, TaskState, TaskSummary } from '../core/summary.ts';
import { oneLine } from '../core/text.ts';
import { spellSeconds } from '../core/duration.ts';
import { shellWord } from './shell-word.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';
import type { Cell } from './table.ts';

export interface RunEndFacts {
  /** The events of this run alone, folded. */
  readonly summary: Summary;
  readonly finished: EventOf<'run.finished'>;
  /** The command line that goes on with the plan, as it was typed. */
  readonly again: string;
  /** Options that every command about this plan needs, such as `--plan docs/B.md`; '' for none. */
  readonly planOption: string;
}

/** The table at the end of a run: task, attempts, time, verdict, checkpoint. */
export function renderRunTable(summary: Summary, style: Style): readonly string[] {
  if (summary.tasks.length === 0) return [];
  const head = ['task', 'attempts', 'time', 'verdict', 'checkpoint'].map((text) => {
    return { text, paint: style.strong };
  });
  return renderTable([head, ...summary.tasks.map((task) => row(task, style))]);
}

function row(task: TaskSummary, style: Style): readonly Cell[] {
  return [
    { text: task.id },
    { text: task.attempts.length === 0 ? '' : String(task.attempts.length) },
    { text: task.attempts.length === 0 ? '' : spellSeconds(task.seconds) },
    { text: verdictOf(task), paint: paintOf(task.state, style) },
    { text: task.checkpoint === undefined ? '' : shortRef(task.checkpoint.tag) },
  ];
}

/** A task's state with the reason that a reader asks for next. */
export function verdictOf(task: TaskSummary): string {
  const last = task.attempts.at(-1);
  if (task.state === 'failed' && last?.outcome.kind === 'rejected')
    return `failed: ${describeFailure(last.outcome.failure)}`;
  if (task.state === 'blocked' && task.why !== undefined) return `blocked: ${task.why}`;
  if (task.state === 'pending' && last?.outcome.kind === 'voided')
    return `pending: ${describeVoid(last.outcome.why)}`;
  return task.state;
}

export function paintOf(state: TaskState, style: Style): (text: string) => string {
  if (state === 'passed') return style.good;
  if (state === 'failed') return style.bad;
  return state === 'pending' ? style.faint : style.warn;
}

/** The last two lines of a run: how it ended and where the tree is; the next command to type. */
export function renderRunEnd(facts: RunEndFacts, style: Style): readonly string[] {
  const { summary, finished } = facts;
  const time = spellSeconds(summary.runs.at(-1)?.seconds ?? 0);
  const why = tellsEnough.has(finished.why ?? 'done')
    ? ''
    : `; stopped: ${oneLine(finished.why ?? '')}`;
  const tree = summary.last === undefined ? '' : `; the tree is at ${shortRef(summary.last.tag)}`;
  const paint = finished.status === 0 ? style.good : style.bad;
  const counted = spellCounts(finished.counts) || 'nothing done';
  return [
    `${paint(counted)} in ${time}${why}${tree} (exit ${finished.status})`,
    `next: ${style.strong(nextCommand(facts))}`,
  ];
}

/** Reasons that the counts say already. */
const tellsEnough: ReadonlySet<string> = new Set(['done', 'failed']);

const words = ['passed', 'unjudged', 'failed', 'blocked', 'pending', 'skipped'] as const;

function spellCounts(counts: RunCounts): string {
  return words
    .filter((word) => counts[word] > 0)
    .map((word) => `${counts[word]} ${word}`)
    .join(', ');
}

function nextCommand(facts: RunEndFacts): string {
  const { finished, summary, again, planOption } = facts;
  if (finished.status === 0)
    return finished.counts.pending > 0 ? again : 'git log --oneline --decorate';
  const failed = summary.tasks.find((task) => task.state === 'failed')?.attempts.at(-1);
  if (failed === undefined) return again;
  return `skeleton show ${shellWord(`${failed.task}#${failed.number}`)}${planOption}`;
}
