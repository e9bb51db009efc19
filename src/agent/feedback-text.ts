import { join } from 'node:path';
import type { GateResult } from '../core/events.ts';
import { describeFailure } from '../core/failure.ts';
import { byteLength, clip, excerpt, visible } from '../core/text.ts';
import { describeRepeats, type Repeats } from '../core/stagnation.ts';
import type { Feedback } from '../ports.ts';
import { findingsText } from './review-text.ts';

/** Bytes; more would push the task itself out of an agent's mind. */
const MOST = 16_384;
const MOST_OF_REASON = 1500;
const MOST_GATES = 12;
const MOST_NOTICES = 6;
const LONGEST_NOTICE = 400;
const MOST_LINES = 40;
const LEAST_OF_GATE = 300;

const rolledBack =
  'What it changed was rolled back: the work tree is as it was before it. Do not repeat it.';
const stillThere =
  'What it changed is still in the work tree, not committed: go on from there, and repair it.';

/**
 * Why the last attempt did not pass: in words, and what each gate said that rejected it, with the path of its whole log.
 * `continues`: its files lie in the work tree (`retry: continue`).
 */
export function feedbackText(
  { failure, gates, notices, repeats, findings }: Feedback,
  stateFolder: string,
  continues = false,
): string {
  const reason = clip(visible(describeFailure(failure)), MOST_OF_REASON);
  const intro = `The last attempt did not pass: ${reason}. ${continues ? stillThere : rolledBack}${repeated(repeats)}`;
  const rejecting = gates.filter(isRejection);
  const shown = rejecting.slice(0, MOST_GATES);
  const left = rejecting.length - shown.length;
  const found = findings === undefined ? [] : [`What the review found:\n${findingsText(findings)}`];
  const told = byteLength([intro, ...found, ...noticed(notices)].join(''));
  const room = Math.floor((MOST - told) / Math.max(1, shown.length));
  const said = shown.map((gate) => gateText(gate, stateFolder, room));
  const more = left > 0 ? [`And ${left} more gates.`] : [];
  return clip([intro, ...found, ...noticed(notices), ...said, ...more].join('\n\n'), MOST);
}

function repeated(repeats: Repeats | undefined): string {
  if (repeats === undefined) return '';
  return ` ${describeRepeats(repeats)}: what was tried does not work. Find another way.`;
}

function noticed(notices: readonly string[]): readonly string[] {
  if (notices.length === 0) return [];
  const lines = notices
    .slice(0, MOST_NOTICES)
    .map((text) => `- ${clip(visible(text), LONGEST_NOTICE)}`);
  return [`Noticed of that attempt:\n${lines.join('\n')}`];
}

function isRejection({ soft, verdict }: GateResult): boolean {
  return !soft && ['fail', 'timeout', 'error'].includes(verdict);
}

function gateText(gate: GateResult, stateFolder: string, room: number): string {
  const log = gate.log === '' ? '' : `, whole output in ${join(stateFolder, gate.log)}`;
  const title = `Gate ${visible(gate.name)}: ${visible(gate.ended)}${log}`;
  if (gate.tail.trim() === '') return `${title}. It printed nothing.`;
  const fence = '`'.repeat(Math.max(3, longestRun(gate.tail) + 1));
  const bytes = Math.max(LEAST_OF_GATE, room - byteLength(title) - 2 * fence.length - 80);
  const text = excerpt(gate.tail, gate.tail, { lines: MOST_LINES + 1, bytes });
  return `${title}:\n${fence}text\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
