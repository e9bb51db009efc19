import type { GateResult, TaskEvent } from './events.ts';
import { failedGates } from './verdict.ts';

/** How often attempts of a task have ended alike, one after the other, the last one included. */
export interface Repeats {
  readonly what: 'tree' | 'gates' | 'answer';
  readonly times: number;
}

/**
 * What the last rejected attempts have in common since the task was last begun anew: the files that they left, or the gates that
 * rejected them with what these said, or why reviews came to no verdict. Undefined where the last two differ. Attempts that cost
 * nothing do not count, and what all gates say after the last review is compared with what they said there in other rounds.
 */
export function repeatsIn(events: readonly TaskEvent[]): Repeats | undefined {
  const whole = rejectionsIn(events.slice(1 + events.findLastIndex(isAnew)));
  const ends = whole.at(-1)?.isFinal
    ? whole.filter(({ isFinal }) => isFinal)
    : rejectionsIn(events.slice(1 + events.findLastIndex(isBeginning)));
  const trees = inARow(ends.map(({ tree }) => tree));
  const gates = inARow(ends.map(({ said }) => said));
  const answers = inARow(ends.map(({ answer }) => answer));
  const times = Math.max(trees, gates, answers);
  if (times < 2) return undefined;
  if (answers === times) return { what: 'answer', times };
  return { what: trees >= gates ? 'tree' : 'gates', times };
}

function isAnew(event: TaskEvent): boolean {
  return event.type === 'task.reopened' && event.anew;
}

/** What comes after the end of a stage, or of a round of a review, is another matter (docs/stages.md). */
function isBeginning(event: TaskEvent): boolean {
  if (event.type === 'attempt.voided') return event.why === 'stage';
  return isAnew(event) || (event.type === 'attempt.rejected' && event.failure.kind === 'reviewed');
}

/** For people, and for the next attempt. */
export function describeRepeats({ what, times }: Repeats): string {
  if (what === 'answer') return `${times} reviews in a row came to no verdict, each alike`;
  return what === 'tree'
    ? `${times} attempts in a row left exactly the same files`
    : `${times} attempts in a row were rejected by the same gates with the same output`;
}

interface Rejection {
  /** '' where it is not known. */
  readonly tree: string;
  readonly said: string;
  /** Why a review came to no verdict; '' where it is none. */
  readonly answer: string;
  /** By all gates, after the last review. */
  readonly isFinal: boolean;
}

type Started = Extract<TaskEvent, { type: 'attempt.started' }>;

function rejectionsIn(events: readonly TaskEvent[]): readonly Rejection[] {
  const ends: Rejection[] = [];
  let gates: GateResult[] = [];
  let begun: Started | undefined;
  for (const event of events) {
    if (event.type === 'attempt.started') [begun, gates] = [event, []];
    if (event.type === 'gate.finished') gates.push(event);
    if (event.type === 'attempt.rejected') ends.push(rejectionOf(event, gates, begun));
  }
  return ends;
}

function rejectionOf(
  { failure, left = '' }: Extract<TaskEvent, { type: 'attempt.rejected' }>,
  gates: readonly GateResult[],
  begun: Started | undefined,
): Rejection {
  const reviews = begun?.stage?.reviews !== undefined;
  const isAsked = reviews && begun.judge === undefined;
  return {
    tree: failure.kind === 'no-change' ? 'nothing' : left,
    said: saidBy(failedGates(gates)),
    answer: isAsked && failure.kind === 'agent-error' ? (failure.detail ?? '') : '',
    isFinal: reviews && begun.judge !== undefined,
  };
}

function inARow(words: readonly string[]): number {
  const last = words.at(-1) ?? '';
  if (last === '') return 0;
  return words.length - 1 - words.findLastIndex((word) => word !== last);
}

function saidBy(gates: readonly GateResult[]): string {
  // A gate that says nothing does not say the same thing twice.
  if (gates.every(({ tail }) => tail.trim() === '')) return '';
  return JSON.stringify(gates.map(({ name, ended, tail }) => [name, ended, withoutTimes(tail)]));
}

/** How long something took, and when, says nothing of what went wrong. */
function withoutTimes(text: string): string {
  return text
    .replace(/\b\d+(?:\.\d+)?\s?(?:ms|sec|secs|seconds|s|min)\b/g, 'TIME')
    .replace(/\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b/g, 'TIME');
}
