import { agentName } from '../../core/agent-name.ts';
import type { AttemptSummary } from '../../core/attempt-summary.ts';
import { cutText } from '../../core/cut-text.ts';
import { spellSeconds } from '../../core/duration.ts';
import type { GateResult } from '../../core/events.ts';
import { attemptName, type AttemptDetail } from '../../core/run-report.ts';
import { spellFinding } from '../../core/stages/verdict.ts';
import { oneLine } from '../../core/text.ts';
import { spellUsage, type Usage } from '../../core/usage.ts';
import { attemptLabel, attemptVerdict, keptAs, whyOf } from '../log.ts';
import { shellWord } from '../shell-word.ts';
import { diffSize, renderDiff } from './diff.ts';
import { renderFacts, renderTime } from './facts.ts';
import { attemptAnchor, gateLook, lookOf, openWords } from './marks.ts';
import { markup, nothing, type Html } from './markup.ts';

export interface ShownAttempt {
  readonly hasDied: boolean | undefined;
  readonly planOption: string;
  /** Characters of each text. */
  readonly most: number;
  /** It is what a reader came for: it lies open. */
  readonly isToSee: boolean;
}

/** One attempt: how it ended, who worked and at what cost, what the gates said, the diff, the prompt. */
export function renderAttempt(detail: AttemptDetail, shown: ShownAttempt): Html {
  const { attempt } = detail;
  const { kind, mark } = lookOf(attempt);
  const anchor = attemptAnchor(attempt);
  const used = attempt.usage === undefined ? '' : spellUsage(attempt.usage);
  const time = attempt.outcome.kind === 'open' ? '' : spellSeconds(attempt.seconds);
  const aside = [oneLine(agentName(attempt)), time, used]
    .filter((one) => one !== '')
    .map((one) => markup`<span>${one}</span>`);
  return markup`<details class="attempt" id="${anchor}" data-verdict="${attemptVerdict(attempt)}"${shown.isToSee ? markup` open` : nothing}>
<summary><h4><span class="mark ${kind}" aria-hidden="true">${mark}</span> ${oneLine(attemptLabel(attempt))} <span class="${kind}">${verdictWords(attempt, shown.hasDied)}</span></h4>
<p class="facts-line">${aside}</p></summary>
${renderCommands(detail, shown)}${renderFindings(attempt)}
${attempt.gates.map((gate, at) => renderGate(gate, `${anchor}-gate-${at + 1}`, detail, shown))}
${renderChange(detail, shown)}
${renderPrompt(detail, shown)}
${renderFacts(factsOf(detail))}
</details>`;
}

/** `rejected by tests.sh`, `does not count: interrupted`, `passed`. */
export function verdictWords(attempt: AttemptSummary, hasDied?: boolean): string {
  if (attempt.outcome.kind === 'open') return openWords(hasDied);
  const [verdict, why] = [attemptVerdict(attempt), oneLine(whyOf(attempt))];
  if (why === '') return verdict;
  return why.startsWith(verdict) || attempt.outcome.kind === 'voided' ? why : `${verdict}: ${why}`;
}

function renderCommands({ attempt, pruned }: AttemptDetail, { planOption }: ShownAttempt): Html {
  const name = shellWord(attemptName(attempt));
  const isKept = attempt.snapshot !== undefined && pruned?.snapshot !== true;
  const isToRestore = isKept && attempt.outcome.kind !== 'passed';
  const commands = ['show', ...(isToRestore ? ['restore'] : [])].map(
    (command) => markup`<code>${oneLine(`skeleton ${command} ${name}${planOption}`)}</code>`,
  );
  return markup`<p class="commands">${commands}</p>`;
}

function renderFindings({ findings = [] }: AttemptSummary): Html {
  if (findings.length === 0) return nothing;
  const items = findings.map((one) => markup`<li>${spellFinding(one)}</li>`);
  return markup`
<div class="part findings"><h5>Findings</h5><ul>${items}</ul></div>`;
}

function renderGate(
  gate: GateResult,
  id: string,
  { outputs }: AttemptDetail,
  { most }: ShownAttempt,
): Html {
  const { kind, mark } = gateLook(gate.verdict, gate.soft);
  const text = outputs.get(gate.name) ?? gate.tail;
  const how = `${gate.verdict}, ${oneLine(gate.ended)}${gate.soft ? ', soft' : ''}`;
  const name = markup`<h5><span class="mark ${kind}" aria-hidden="true">${mark}</span> ${oneLine(gate.name)}</h5> <span>${how}</span> <span>${spellSeconds(gate.seconds)}</span>`;
  if (text.trim() === '')
    return markup`<div class="part quiet" id="${id}">${name} <span>no output</span></div>`;
  return markup`<details class="part gate" id="${id}" data-verdict="${gate.verdict}"${kind === 'bad' ? markup` open` : nothing}><summary>${name}</summary>
<pre>${cutText(text, most).trimEnd()}</pre></details>`;
}

function renderChange(
  { attempt, diff, pruned }: AttemptDetail,
  { most, isToSee }: ShownAttempt,
): Html {
  const id = `${attemptAnchor(attempt)}-diff`;
  if (diff === undefined) return missing('Diff', id, whyMissing(attempt, pruned?.snapshot));
  const size = diffSize(diff);
  if (size === '')
    return markup`<div class="part quiet" id="${id}"><h5>Diff</h5> <span>nothing changed</span></div>`;
  return markup`<details class="part diff" id="${id}"${isToSee ? markup` open` : nothing}><summary><h5>Diff</h5> <span>${size}</span></summary>
${renderDiff(cutText(diff, most))}</details>`;
}

function renderPrompt({ attempt, prompt, pruned }: AttemptDetail, { most }: ShownAttempt): Html {
  const id = `${attemptAnchor(attempt)}-prompt`;
  if (prompt === undefined) return missing('Prompt', id, whyMissing(attempt, pruned?.logs));
  const lines = prompt.trimEnd().split('\n').length;
  return markup`<details class="part prompt" id="${id}"><summary><h5>Prompt</h5> <span>${`${lines} line${lines === 1 ? '' : 's'}`}</span></summary>
<pre>${cutText(prompt, most).trimEnd()}</pre></details>`;
}

function missing(name: string, id: string, why: string): Html {
  return markup`<div class="part quiet" id="${id}"><h5>${name}</h5> <span>${why}</span></div>`;
}

function whyMissing({ outcome }: AttemptSummary, isPruned = false): string {
  if (outcome.kind === 'open') return 'not yet';
  return isPruned ? 'pruned by gc' : 'not kept';
}

function factsOf(detail: AttemptDetail): readonly (readonly [string, Html | string])[] {
  const { attempt, pruned, agentLog } = detail;
  const { agentEnd } = attempt;
  return [
    ['attempt', `${attempt.attempt} of ${attempt.attempts}`],
    ['agent ended', agentEnd ? `${agentEnd.ended}, after ${spellSeconds(agentEnd.seconds)}` : ''],
    ['tokens', attempt.usage === undefined ? '' : tokenWords(attempt.usage)],
    ['kept as', pruned?.snapshot === true ? 'pruned by gc' : keptAs(attempt)],
    ['began from', attempt.base.slice(0, 10)],
    ['begun', renderTime(attempt.startedAt)],
    ['agent log', pruned?.logs === true ? 'pruned by gc' : (agentLog ?? '')],
  ];
}

function tokenWords({ input, output }: Usage): string {
  return [
    input === undefined ? '' : `${input.toLocaleString('en')} read`,
    output === undefined ? '' : `${output.toLocaleString('en')} written`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
