import { chargedIn } from '../core/attempt-summary.ts';
import { shortRef } from '../core/refs.ts';
import type { Summary, TaskSummary } from '../core/summary.ts';
import { oneLine } from '../core/text.ts';
import { spellSeconds } from '../core/duration.ts';
import { spellSum } from '../core/usage.ts';
import { beforeNext } from './before-next.ts';
import { clockTime } from './clock-time.ts';
import { paintOf } from './run-end.ts';
import { shellWord } from './shell-word.ts';
import { askedFor, stateText } from './state-text.ts';
import type { StatusFacts, Team } from './status-facts.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';
import { usedColumn } from './used-column.ts';

/**
 * `skeleton status`: two lines (what passed, failed, is blocked, time, cost, where the tree is; the next command to type),
 * then the table of tasks (contract, "Exit status").
 */
export function renderStatus(told: StatusFacts, style: Style): string {
  const facts = asHeld(told);
  const { summary } = facts;
  const first = `${oneLine(facts.planPath)}: ${[
    ...standing(summary),
    ...underWay(facts),
    ...problemsOf(facts),
    ...pauseOf(facts),
    effort(summary),
    whereIs(facts),
  ].join('; ')}`;
  const next = `next: ${style.strong(`${nextCommand(facts)}${caution(facts)}`)}`;
  return [first, next, '', ...statusTable(facts, style)].join('\n');
}

/** A task that failed in an earlier team, and is held, is begun anew: it is under way and nothing else. */
function asHeld(facts: StatusFacts): StatusFacts {
  const { summary, team } = facts;
  const held = new Set(team?.held.map(({ task }) => task));
  const counts = { ...summary.counts };
  const tasks = summary.tasks.map((task) => {
    const isBegunAnew = (task.state === 'failed' || task.state === 'blocked') && held.has(task.id);
    if (!isBegunAnew) return task;
    counts[task.state] -= 1;
    counts.pending += 1;
    return { ...task, state: 'pending' as const, why: undefined };
  });
  return { ...facts, summary: { ...summary, tasks, counts } };
}

function standing({ counts, tasks }: Summary): readonly string[] {
  const of = (state: TaskSummary['state']): readonly TaskSummary[] =>
    tasks.filter((task) => task.state === state);
  const some = (number: number, text: string): readonly string[] => (number > 0 ? [text] : []);
  return [
    `${counts.passed} of ${tasks.length} passed`,
    ...some(counts.unproven, `${counts.unproven} unproven (skeleton verify)`),
    ...some(counts.unjudged, `${counts.unjudged} unjudged`),
    ...some(counts.ticked, `${counts.ticked} ticked by hand`),
    ...some(counts.failed, `failed: ${list(of('failed'), failedTask)}`),
    ...some(counts.blocked, `blocked: ${list(of('blocked'), (task) => oneLine(task.id))}`),
    ...some(counts.skipped, `${counts.skipped} skipped`),
    ...some(counts.pending, `${counts.pending} pending`),
  ];
}

/** A task is worked on exactly when somebody holds it. */
function underWay({ team }: StatusFacts): readonly string[] {
  if (team === undefined || team.held.length === 0) return [];
  return [`under way: ${list(team.held, (holder) => oneLine(holder.task))}`];
}

function problemsOf({ problems }: StatusFacts): readonly string[] {
  return problems === 0 ? [] : [`${problems} problem${problems === 1 ? '' : 's'} in the plan`];
}

function pauseOf({ notes = [], now }: StatusFacts): readonly string[] {
  const pause = notes.find(({ kind }) => kind === 'pause');
  if (pause === undefined) return [];
  return [`paused by ${oneLine(pause.by)} at ${clockTime(pause.at, now)}`];
}

const MOST_NAMED = 5;

function list<T>(tasks: readonly T[], name: (task: T) => string): string {
  const more = tasks.length - MOST_NAMED;
  return `${tasks.slice(0, MOST_NAMED).map(name).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The task, the gate that said no last, and how many attempts it took. */
function failedTask(task: TaskSummary): string {
  const last = task.attempts.at(-1);
  const failure = last?.outcome.kind === 'rejected' ? last.outcome.failure : undefined;
  const by = failure === undefined ? '' : `${failure.gates?.join(' + ') ?? failure.kind}, `;
  const number = chargedIn(task.attempts);
  return oneLine(`${task.id} (${by}${number} attempt${number === 1 ? '' : 's'})`);
}

/** Time, tokens and cost, as far as the agents told them. */
function effort({ runs, usage }: Summary): string {
  if (runs.length === 0) return 'no run yet';
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
  const time = `${spellSeconds(seconds)} in ${runs.length} run${runs.length === 1 ? '' : 's'}`;
  return [time, spellSum(usage)].filter((part) => part !== '').join('; ');
}

function whereIs({ summary, head }: StatusFacts): string {
  if (head === undefined) return 'no commit yet';
  const short = head.slice(0, 10);
  if (summary.last === undefined) return `the tree is at ${short}`;
  const here = head === summary.last.commit ? summary.last.tag : tagAt(head, summary);
  return here === undefined
    ? `the tree is at ${short} (last checkpoint ${shortRef(summary.last.tag)})`
    : `the tree is at ${shortRef(here)}`;
}

/** After an `undo` it is an earlier checkpoint. */
function tagAt(head: string, { tasks }: Summary): string | undefined {
  for (const { attempts } of tasks)
    for (const { outcome } of attempts)
      if (outcome.kind === 'passed' && outcome.commit === head) return outcome.tag;
  return undefined;
}

function runCommand({ planOption, team }: StatusFacts): string {
  return `skeleton run${planOption}${team?.runOption ?? ''}`;
}

function nextCommand(facts: StatusFacts): string {
  const { summary, planOption, problems, notes = [] } = facts;
  if (problems > 0) return `skeleton check${planOption}`;
  if (notes.some(({ kind }) => kind === 'pause')) return `skeleton resume${planOption}`;
  const failed = summary.tasks.find((task) => task.state === 'failed')?.attempts.at(-1);
  if (failed !== undefined)
    return `skeleton show ${shellWord(`${failed.task}#${failed.number}`)}${planOption}`;
  if (summary.counts.pending + summary.counts.blocked > 0) return runCommand(facts);
  return `skeleton log${planOption}`;
}

/** Of a command that goes on with the run. */
function caution(facts: StatusFacts): string {
  const { summary, now } = facts;
  return nextCommand(facts) === runCommand(facts) ? beforeNext(summary, now) : '';
}

function statusTable(facts: StatusFacts, style: Style): readonly string[] {
  const { summary, notes = [] } = facts;
  const paint = style.strong;
  const used = usedColumn(summary.usage);
  const head = ['task', 'state', 'attempts', 'time', ...used.head, 'checkpoint', 'title'];
  const rows = summary.tasks.map((task) => [
    { text: task.id },
    {
      text: stateText(task, facts) + askedFor(task, notes),
      paint: paintOf(task.state, style),
      most: WIDEST_STATE,
    },
    { text: task.attempts.length === 0 ? '' : String(chargedIn(task.attempts)) },
    { text: task.attempts.length === 0 ? '' : spellSeconds(task.seconds) },
    ...used.cells(task.usage),
    { text: task.checkpoint === undefined ? '' : shortRef(task.checkpoint.tag) },
    { text: task.title },
  ]);
  return renderTable([head.map((text) => ({ text, paint })), ...rows]);
}

/** Host, process and time stand at the end of its sentence. */
const WIDEST_STATE = 110;

/** The same as data, one object. */
export function statusData(told: StatusFacts): object {
  const facts = asHeld(told);
  const { summary, planPath, head, team } = facts;
  return {
    plan: planPath,
    head: head ?? null,
    ...(team !== undefined && { ledger: team.ledger }),
    counts: summary.counts,
    last: summary.last ?? null,
    usage: summary.usage,
    next: nextCommand(facts),
    notes: facts.notes ?? [],
    tasks: summary.tasks.map(({ attempts, checkpoint, why, ...task }) => ({
      ...task,
      attempts: attempts.length,
      checkpoint: checkpoint ?? null,
      ...(why !== undefined && { why }),
      ...(team !== undefined && teamData(task.id, attempts, team)),
    })),
    runs: summary.runs,
  };
}

function teamData(
  id: string,
  attempts: TaskSummary['attempts'],
  { held }: Team,
): { readonly holder: object | null; readonly interrupted: boolean } {
  const { task, ...holder } = held.find((one) => one.task === id) ?? { task: undefined };
  const isOpen = attempts.at(-1)?.outcome.kind === 'open';
  return { holder: task === undefined ? null : holder, interrupted: isOpen && task === undefined };
}
