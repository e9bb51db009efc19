import { agentName } from '../core/agent-name.ts';
import type { AttemptSummary } from '../core/attempt-summary.ts';
import type { AttemptDetail } from '../core/run-report.ts';
import { spellFinding } from '../core/stages/verdict.ts';
import { oneLine, visible } from '../core/text.ts';
import { spellSeconds } from '../core/duration.ts';
import { spellSum, sumUsage } from '../core/usage.ts';
import { attemptData, attemptVerdict, keptAs, whyOf } from './log.ts';
import type { Style } from './style.ts';

/** `skeleton show TASK#N`: what it was and how it ended, the prompt, the diff, what each gate said. */
export function renderShow(shown: AttemptDetail, style: Style): string {
  const { attempt, prompt, diff, keptOn } = shown;
  return [
    ...headLines(shown, style),
    ...section('prompt', prompt ?? missing(shown.pruned?.logs, keptOn), style),
    ...findingLines(attempt, style),
    ...section('diff', diff ?? missing(shown.pruned?.snapshot, keptOn), style, (line) =>
      paintDiff(line, style),
    ),
    ...attempt.gates.flatMap((gate) => {
      const ended = `gate ${gate.name}: ${gate.verdict} (${gate.ended}), ${spellSeconds(gate.seconds)}`;
      return section(ended, shown.outputs.get(gate.name) ?? gate.tail, style);
    }),
  ].join('\n');
}

function findingLines({ findings }: AttemptSummary, style: Style): readonly string[] {
  if (findings === undefined) return [];
  const lines = findings.map(spellFinding);
  return section('findings', lines.length === 0 ? 'none' : lines.join('\n'), style);
}

function missing(isPruned = false, keptOn?: string): string {
  if (keptOn !== undefined) return `(not here: kept on ${keptOn}, in the clone of its run)`;
  return isPruned ? '(pruned by gc)' : '(not kept)';
}

function headLines(shown: AttemptDetail, style: Style): readonly string[] {
  const { attempt, title, agentLog, keptOn, pruned } = shown;
  const log = keptOn === undefined ? (agentLog ?? '') : `kept on ${keptOn}`;
  const facts: readonly (readonly [string, string])[] = [
    ['title', title],
    ['stage', attempt.stage ?? ''],
    ['verdict', verdictOf(attempt)],
    ['attempt', `${attempt.attempt} of ${attempt.attempts}, ${spellSeconds(attempt.seconds)}`],
    ['begun', `${attempt.startedAt} in run ${attempt.run}`],
    ['from', attempt.base],
    ['kept as', pruned?.snapshot === true ? 'pruned by gc' : keptAs(attempt)],
    ['agent', agentName(attempt) + (attempt.agentEnd ? `: ${attempt.agentEnd.ended}` : '')],
    ['used', attempt.usage === undefined ? '' : spellSum(sumUsage([attempt.usage]))],
    ['agent log', pruned?.logs === true ? 'pruned by gc' : log],
  ];
  return [
    style.strong(oneLine(`${attempt.task}#${attempt.number}`)),
    ...facts
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${style.faint(name.padEnd(9))}  ${oneLine(value)}`),
  ];
}

/** `rejected by check.sh`, `rejected: the agent changed nothing`, `passed`. */
function verdictOf(attempt: AttemptSummary): string {
  const [verdict, why] = [attemptVerdict(attempt), whyOf(attempt)];
  if (why === '' || why.startsWith(verdict)) return why === '' ? verdict : why;
  return `${verdict}: ${why}`;
}

function section(
  name: string,
  text: string,
  style: Style,
  paint: (line: string) => string = (line) => line,
): readonly string[] {
  const shown = visible(text).replace(/\n+$/, '');
  const lines = shown === '' ? ['(empty)'] : shown.split('\n').map(paint);
  return ['', style.strong(`── ${oneLine(name)}`), ...lines];
}

function paintDiff(line: string, style: Style): string {
  if (/^(?:\+\+\+|---|diff |index )/.test(line)) return style.strong(line);
  if (line.startsWith('+')) return style.good(line);
  return line.startsWith('-') ? style.bad(line) : line;
}

/** The same as data, one object. */
export function showData(shown: AttemptDetail): object {
  const { attempt, title, prompt, diff, outputs, agentLog } = shown;
  return {
    ...attemptData(attempt),
    title,
    prompt: prompt ?? null,
    diff: diff ?? null,
    agentLog: agentLog ?? null,
    ...(shown.keptOn !== undefined && { keptOn: shown.keptOn }),
    ...(shown.pruned !== undefined && { pruned: shown.pruned }),
    gates: attempt.gates.map((gate) => ({ ...gate, output: outputs.get(gate.name) ?? null })),
  };
}
