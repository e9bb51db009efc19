import type { GateResult } from '../core/events.ts';
import { oneLine } from '../core/text.ts';
import { gateLines } from './gate-lines.ts';
import type { Style } from './style.ts';

export interface VerifiedCheckpoint {
  readonly checkpoint: string;
  readonly outcome: 'holds' | 'differs' | 'cannot-run';
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  readonly gates: readonly GateResult[];
}

const words = { holds: 'holds', differs: 'does not hold', 'cannot-run': 'cannot be told' } as const;

/** What `skeleton verify` says of one checkpoint: the verdict, why, and what the gates that are red now printed. */
export function verifiedLines(verified: VerifiedCheckpoint, style: Style): readonly string[] {
  const { checkpoint, outcome, reasons, notes, gates } = verified;
  const mark = { holds: style.good('✔'), differs: style.bad('✗'), 'cannot-run': style.warn('!') };
  const passed = gates.filter(({ verdict }) => verdict === 'pass').length;
  const count = outcome === 'holds' ? ` (${passed} gate${passed === 1 ? '' : 's'})` : '';
  const red = gates.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped');
  return [
    `${mark[outcome]} ${style.strong(oneLine(checkpoint))}  ${words[outcome]}${count}`,
    ...reasons.map((reason) => `    ${oneLine(reason)}`),
    ...red.flatMap((gate) => gateLines(gate, style)).map((line) => `    ${line}`),
    ...notes.map((note) => style.faint(`    note: ${oneLine(note)}`)),
  ];
}

/** The last line. */
export function verifyEndLine(
  verified: readonly VerifiedCheckpoint[],
  status: number,
  style: Style,
): string {
  const of = (outcome: VerifiedCheckpoint['outcome']): number =>
    verified.filter((one) => one.outcome === outcome).length;
  const counts = (['holds', 'differs', 'cannot-run'] as const)
    .filter((outcome) => of(outcome) > 0)
    .map((outcome) => `${of(outcome)} ${plural[outcome]}`);
  const paint = status === 0 ? style.good : style.bad;
  return `${paint(counts.join(', ') || 'interrupted')} (exit ${status})`;
}

const plural = {
  holds: 'held',
  differs: 'did not hold',
  'cannot-run': 'could not be told',
} as const;
