import { chargedIn, type AttemptSummary } from '../core/attempt-summary.ts';
import { spellSeconds } from '../core/duration.ts';
import type { GateResult } from '../core/events.ts';
import { shortRef } from '../core/refs.ts';
import {
  attemptName,
  type AttemptDetails,
  type ReportedTask,
  type RunReport,
} from '../core/run-report.ts';
import { spellFinding } from '../core/stages/verdict.ts';
import { byteLength, clip, excerpt } from '../core/text.ts';
import { isReported, spellSum, sumUsage } from '../core/usage.ts';
import { attemptLabel, attemptVerdict, whyOf } from './log.ts';
import { markdownCode, markdownFence, markdownTable, markdownText } from './markdown-parts.ts';
import { countWords, endWords, gatesAgainst, hostedRun, taskWords } from './reported-words.ts';
import { toldPart } from './told.ts';

/** What a comment on GitHub may hold (65,536 characters), with room for what others add. */
const MOST_BYTES = 60_000;
const MOST_TASKS = 100;
const MOST_ATTEMPTS = 100;
const MOST_OUTPUT = { lines: 30, bytes: 4000 } as const;

/**
 * A run as Markdown for a pull request or the summary of a CI job: one line, the table of tasks, what failed with its last lines, the
 * attempts. Nothing in it pings or is mark-up but our own. At most `mostBytes`; what is left out is said.
 */
export function renderMarkdown(
  report: RunReport,
  details: AttemptDetails = new Map(),
  mostBytes: number = MOST_BYTES,
): string {
  const { tasks } = report;
  const parts = [
    headline(report),
    taskTable(report),
    ...tasks.flatMap((task) => failureParts(task, details)),
    ...toldPart(tasks),
    ...attemptsPart(tasks),
  ];
  return `${within(parts, mostBytes).join('\n\n')}\n`;
}

function headline(report: RunReport): string {
  const { run, tasks } = report;
  const waited = tasks.flatMap(({ waits }) => waits).length;
  const parts = [
    `**${countWords(report)}** in ${spellSeconds(run.seconds)}`,
    ownWords(spellSum(run.usage)),
    waited > 0 ? `${waited} wait${waited === 1 ? '' : 's'} for a provider` : '',
    endWords(report),
  ];
  return `${parts.filter((part) => part !== '').join('; ')} (${runWords(report)} on ${markdownCode(shortRef(run.branch))})`;
}

function runWords({ run, runs = [] }: RunReport): string {
  if (runs.length === 0) return `run ${markdownCode(run.run)}`;
  const shown = runs.slice(0, MOST_RUNS).map((one) => markdownCode(hostedRun(one)));
  const more = runs.length - shown.length;
  return `${runs.length} runs together: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''};`;
}

const MOST_RUNS = 10;

/** The first that fit; a table or a fence is never cut in the middle. */
function within(parts: readonly string[], mostBytes: number): readonly string[] {
  const note = (left: number): string =>
    `${left} part${left === 1 ? '' : 's'} of this report left out; \`skeleton report --format html\` has all of it.`;
  const room = mostBytes - byteLength(note(parts.length)) - 3;
  const taken: string[] = [];
  let bytes = 0;
  for (const part of parts) {
    bytes += byteLength(part) + 2;
    if (bytes > room) break;
    taken.push(part);
  }
  return taken.length === parts.length ? taken : [...taken, note(parts.length - taken.length)];
}

function cell(text: string, most = 200): string {
  return markdownText(clip(text, most));
}

/** Ours, with no mark-up in it but what two dollar signs are: a formula. */
function ownWords(text: string): string {
  return text.replaceAll('$', String.raw`\$`);
}

function taskTable({ run, tasks }: RunReport): string {
  const shown = mostTelling(tasks);
  const isUsed = isReported(run.usage);
  const head = ['task', 'title', 'state', 'attempts', 'time', 'used', 'checkpoint'];
  const rows = shown.map((task) => {
    const { id, title, attempts, seconds, usage, checkpoint } = task;
    return [
      markdownCode(clip(id, 80)),
      title === id ? '' : cell(title, 120),
      cell(taskWords(task)),
      attempts.length === 0 ? '' : String(chargedIn(attempts)),
      attempts.length === 0 ? '' : spellSeconds(seconds),
      ownWords(spellSum(usage)),
      markdownCode(checkpoint === undefined ? '' : shortRef(checkpoint.tag)),
    ];
  });
  if (rows.length === 0) return 'No task was begun.';
  const table = [head, ...rows].map((row) => row.filter((_, at) => isUsed || at !== USED));
  const more = tasks.length - shown.length;
  return `${markdownTable(table)}${more > 0 ? `\n\nand ${more} more` : ''}`;
}

const USED = 5;

/** All where they are few; else those that failed or are blocked first to be kept, in the run's order. */
function mostTelling(tasks: readonly ReportedTask[]): readonly ReportedTask[] {
  if (tasks.length <= MOST_TASKS) return tasks;
  const isBad = ({ state }: ReportedTask): boolean => state === 'failed' || state === 'blocked';
  const kept = new Set([...tasks.filter(isBad), ...tasks].slice(0, MOST_TASKS));
  return tasks.filter((task) => kept.has(task));
}

/** What keeps a task from having passed: its last attempt. */
function failureParts(task: ReportedTask, details: AttemptDetails): readonly string[] {
  const last = task.attempts.at(-1);
  if (last === undefined || (task.state !== 'failed' && task.state !== 'pending')) return [];
  const against = gatesAgainst(last);
  const isBad = task.state === 'failed' || against.length > 0;
  if (!isBad || last.outcome.kind === 'open') return [];
  const name = attemptName(last);
  const outputs = details.get(name)?.outputs;
  return [
    `#### ${cell(`${name}: ${whyOf(last) || attemptVerdict(last)}`, 300)}`,
    ...findingParts(last),
    ...against.map((gate) => outputPart(gate, outputs?.get(gate.name))),
  ];
}

function findingParts({ findings = [] }: AttemptSummary): readonly string[] {
  if (findings.length === 0) return [];
  return [findings.map((one) => `- ${cell(spellFinding(one), 400)}`).join('\n')];
}

function outputPart(gate: GateResult, output: string | undefined): string {
  const { name, ended, seconds, tail } = gate;
  const head = `${markdownCode(clip(name, 120))}: ${cell(ended)}, ${spellSeconds(seconds)}`;
  const lines = lastLines(output ?? tail);
  return lines === '' ? `${head}, no output` : `${head}\n\n${markdownFence(lines)}`;
}

function lastLines(text: string): string {
  const isWhole =
    text.length <= MOST_OUTPUT.bytes && text.trim().split('\n').length <= MOST_OUTPUT.lines;
  return excerpt(isWhole ? text : '', text, MOST_OUTPUT);
}

/** The newest attempts of all tasks, folded away. */
function attemptsPart(tasks: readonly ReportedTask[]): readonly string[] {
  const all = tasks.flatMap(({ attempts }) => attempts);
  if (all.length === 0) return [];
  const left = all.length - MOST_ATTEMPTS;
  const more = left > 0 ? `, ${left} older ones left out` : '';
  const head = ['attempt', 'verdict', 'why', 'time', 'used', 'gates'];
  const table = markdownTable([head, ...all.slice(-MOST_ATTEMPTS).map(attemptRow)]);
  const summary = `<summary>${all.length} attempt${all.length === 1 ? '' : 's'}${more}</summary>`;
  return [`<details>${summary}\n\n${table}\n\n</details>`];
}

function attemptRow(attempt: AttemptSummary): readonly string[] {
  const { seconds, usage, gates } = attempt;
  const spelled = gates.map(({ name, verdict }) => `${clip(name, 40)} ${verdict}`).join(', ');
  return [
    markdownCode(clip(attemptLabel(attempt), 80)),
    attemptVerdict(attempt),
    cell(whyOf(attempt)),
    spellSeconds(seconds),
    ownWords(usage === undefined ? '' : spellSum(sumUsage([usage]))),
    cell(spelled, 300),
  ];
}
