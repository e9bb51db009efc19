import type { AttemptSummary } from '../core/attempt-summary.ts';
import { describeFailure, describeVoid } from '../core/failure.ts';
import { shortRef } from '../core/refs.ts';
import { spellSeconds } from '../core/duration.ts';
import { sumUsage, type UsageSum } from '../core/usage.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';
import { usedColumn } from './used-column.ts';

/** `skeleton log`: one attempt a line, newest last: TASK#N, when (UTC), verdict, why, time, where its work is kept. */
export function renderLog(
  attempts: readonly AttemptSummary[],
  style: Style,
  pruned: ReadonlySet<string> = new Set(),
): string {
  if (attempts.length === 0) return 'no attempt yet';
  const paint = style.strong;
  const sumOf = ({ usage }: AttemptSummary): UsageSum =>
    sumUsage(usage === undefined ? [] : [usage]);
  const used = usedColumn(sumUsage(attempts.flatMap(({ usage }) => usage ?? [])));
  const head = ['attempt', 'when (UTC)', 'verdict', 'time', ...used.head, 'kept as', 'why'];
  const rows = attempts.map((attempt) => [
    { text: attemptLabel(attempt) },
    { text: attempt.startedAt.slice(0, 19).replace('T', ' ') },
    { text: attemptVerdict(attempt), paint: paintVerdict(attempt, style) },
    { text: spellSeconds(attempt.seconds) },
    ...used.cells(sumOf(attempt)),
    { text: keptAs(attempt, pruned) },
    { text: whyOf(attempt) },
  ]);
  return renderTable([head.map((text) => ({ text, paint })), ...rows]).join('\n');
}

/** `TASK#N`, and its stage where it has one. */
export function attemptLabel({ task, number, stage }: AttemptSummary): string {
  return `${task}#${number}${stage === undefined ? '' : ` ${stage}`}`;
}

/** One word for how an attempt ended. */
export function attemptVerdict({ outcome }: AttemptSummary): string {
  if (outcome.kind === 'passed' && outcome.unproven) return 'unproven';
  if (outcome.kind === 'passed') return outcome.judged ? 'passed' : 'unjudged';
  if (outcome.kind === 'voided' && outcome.why === 'ahead') return 'ahead';
  if (outcome.kind === 'voided' && outcome.why === 'stage') return 'done';
  return outcome.kind === 'open' ? 'under way' : outcome.kind;
}

function paintVerdict({ outcome }: AttemptSummary, style: Style): (text: string) => string {
  if (outcome.kind === 'rejected') return style.bad;
  return outcome.kind === 'passed' && outcome.judged ? style.good : style.warn;
}

export function whyOf({ outcome }: AttemptSummary): string {
  if (outcome.kind === 'rejected') return describeFailure(outcome.failure);
  if (outcome.kind !== 'voided') return '';
  if (outcome.why === 'stage') return '';
  return outcome.why === 'ahead' || outcome.why === 'sent-back'
    ? describeVoid(outcome.why)
    : `does not count: ${describeVoid(outcome.why)}`;
}

/** The tag of what passed, else the ref of what was rolled back, unless `gc` took that (`pruned`: full names of refs). */
export function keptAs(
  { outcome, snapshot }: AttemptSummary,
  pruned: ReadonlySet<string> = new Set(),
): string {
  if (outcome.kind === 'passed') return shortRef(outcome.tag);
  if (snapshot === undefined) return '';
  return pruned.has(snapshot.ref) ? 'pruned by gc' : shortRef(snapshot.ref);
}

/** The same as data, one object an attempt. */
export function attemptData(attempt: AttemptSummary): object {
  const { outcome, snapshot, agentEnd, usage, ...rest } = attempt;
  return {
    ...rest,
    verdict: attemptVerdict(attempt),
    ...(outcome.kind === 'rejected' && { failure: outcome.failure }),
    ...(outcome.kind === 'voided' && { why: outcome.why }),
    checkpoint: outcome.kind === 'passed' ? { tag: outcome.tag, commit: outcome.commit } : null,
    snapshot: snapshot ?? null,
    agentEnd: agentEnd ?? null,
    usage: usage ?? null,
  };
}

/** As attemptData, with `pruned: true` where `gc` took what was kept. */
export function loggedData(attempt: AttemptSummary, pruned: ReadonlySet<string>): object {
  const isPruned = pruned.has(attempt.snapshot?.ref ?? '');
  return { ...attemptData(attempt), ...(isPruned && { pruned: true }) };
}
