import { chargedIn } from '../core/attempt-summary.ts';
import type { RunCounts } from '../core/events.ts';
import { describeFailure, describeVoid } from '../core/failure.ts';
import type { EventOf } from '../core/history.ts';
import { shortRef } from '../core/refs.ts';
import type { Summary, TaskState, TaskSummary } from '../core/summary.ts';
import { oneLine } from '../core/text.ts';
import { spellLimited } from '../core/waiting.ts';
import { spellSeconds } from '../core/duration.ts';
import { spellSum } from '../core/usage.ts';
import { beforeNext, waitOf } from './before-next.ts';
import { clockTime } from './clock-time.ts';
import { shellWord } from './shell-word.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';
import type { Cell } from './table.ts';
import { usedColumn, type UsedColumn } from './used-column.ts';

export interface RunEndFacts {
  /** The events of this run alone, folded. */
  readonly summary: Summary;
  readonly finished: EventOf<'run.finished'>;
  /** The command line that goes on with the plan, as it was typed. */
  readonly again: string;
  /** The one that does the rest of the plan, once this command is done. */
  readonly onward: string;
  /** Options that every command about this plan needs, such as `--plan docs/B.md`; '' for none. */
  readonly planOption: string;
}

/** The table at the end of a run: task, attempts, time, verdict, checkpoint. */
export function renderRunTable(summary: Summary, style: Style): readonly string[] {
  if (summary.tasks.length === 0) return [];
  const used = usedColumn(summary.usage);
  const head = ['task', 'attempts', 'time', ...used.head, 'verdict', 'checkpoint'].map((text) => {
    return { text, paint: style.strong };
  });
  const now = endOf(summary);
  const rows = summary.tasks.map((task) => row(task, { used, style, now }));
  return renderTable([head, ...rows]);
}

/** When the last run ended, or what is known of it last; ISO 8601, UTC. */
function endOf({ runs }: Summary): string {
  const last = runs.at(-1);
  if (last === undefined) return '';
  return new Date(Date.parse(last.startedAt) + last.seconds * 1000).toISOString();
}

interface Columns {
  readonly used: UsedColumn;
  readonly style: Style;
  readonly now: string;
}

function row(task: TaskSummary, { used, style, now }: Columns): readonly Cell[] {
  return [
    { text: task.id },
    { text: task.attempts.length === 0 ? '' : String(chargedIn(task.attempts)) },
    { text: task.attempts.length === 0 ? '' : spellSeconds(task.seconds) },
    ...used.cells(task.usage),
    { text: verdictOf(task, now), paint: paintOf(task.state, style), most: WIDEST_VERDICT },
    { text: task.checkpoint === undefined ? '' : shortRef(task.checkpoint.tag) },
  ];
}

/** The value of a limit stands at the end of its sentence. */
const WIDEST_VERDICT = 90;

/** A task's state with the reason that a reader asks for next. `now`: ISO 8601, UTC. */
export function verdictOf(task: TaskSummary, now: string): string {
  const last = task.attempts.at(-1);
  if (task.state === 'failed' && last?.outcome.kind === 'rejected')
    return `failed: ${describeFailure(last.outcome.failure)}`;
  if (task.state === 'blocked' && task.why !== undefined) return `blocked: ${task.why}`;
  const wait = waitOf(task, now);
  if (wait !== '') return `pending: waiting for ${wait}`;
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
  const why = spellWhy(facts);
  const used = spellUsed(summary);
  const paint = finished.status === 0 ? style.good : style.bad;
  const counted = spellCounts(finished.counts) || 'nothing done';
  return [
    `${paint(counted)} in ${time}${used}${spellMates(facts)}${why}${spellTree(facts)} (exit ${finished.status})`,
    `next: ${style.strong(nextCommand(facts))}`,
  ];
}

/** Of tasks that failed, and that the table does not show, because another machine worked on them. */
function spellMates(facts: RunEndFacts): string {
  const ids = failedElsewhere(facts);
  const more = ids.length - MOST_NAMED;
  const named = ids.slice(0, MOST_NAMED).map(oneLine).join(', ');
  return ids.length === 0
    ? ''
    : `; failed elsewhere: ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

const MOST_NAMED = 5;
const isCommit = /^[0-9a-f]{40,64}$/;

function failedElsewhere({ finished, summary }: RunEndFacts): readonly string[] {
  const own = new Set(summary.tasks.flatMap(({ id, state }) => (state === 'failed' ? [id] : [])));
  return (finished.team?.failed ?? []).filter((id) => !own.has(id));
}

function spellTree({ finished, summary }: RunEndFacts): string {
  const { tree = '' } = finished.team ?? {};
  if (isCommit.test(tree)) return `; the tree is at ${tree.slice(0, 10)}`;
  const tag = tree === '' ? summary.last?.tag : tree;
  return tag === undefined ? '' : `; the tree is at ${shortRef(tag)}`;
}

function spellWhy({ finished: { why = 'done' }, summary }: RunEndFacts): string {
  if (tellsEnough.has(why)) return '';
  const waits = summary.tasks.find((task) => task.waits !== undefined)?.waits;
  const about =
    waits === undefined || why !== 'limit'
      ? ''
      : ` (${oneLine(spellLimited(waits, clockTime(waits.until, endOf(summary))))})`;
  return `; stopped: ${stops[why] ?? oneLine(why)}${about}`;
}

function spellUsed({ usage }: Summary): string {
  const took = spellSum(usage);
  return took === '' ? '' : `; ${took}`;
}

/** Reasons that the counts say already. */
const tellsEnough: ReadonlySet<string> = new Set(['done', 'failed']);

/** Reasons of which the line of the task that was stopped says more. */
const stops: Readonly<Record<string, string>> = {
  'signed-out': 'the agent cannot work before that is mended',
  limit: 'a limit was reached',
};

const words = ['passed', 'unjudged', 'failed', 'blocked', 'pending', 'skipped'] as const;

function spellCounts(counts: RunCounts): string {
  return words
    .filter((word) => counts[word] > 0)
    .map((word) => `${counts[word]} ${word}`)
    .join(', ');
}

function nextCommand(facts: RunEndFacts): string {
  const { finished, summary, again, onward, planOption } = facts;
  if (finished.status === 0)
    return finished.counts.pending > 0 ? onward : 'git log --oneline --decorate';
  const failed = summary.tasks.find((task) => task.state === 'failed')?.attempts.at(-1);
  if (failed === undefined && failedElsewhere(facts).length > 0)
    return `skeleton status --failed${planOption}`;
  if (failed === undefined) return again + beforeNext(summary, endOf(summary));
  return `skeleton show ${shellWord(`${failed.task}#${failed.number}`)}${planOption}`;
}
