import { spellSeconds } from '../../core/duration.ts';
import type { GateResult } from '../../core/events.ts';
import { byteLength, clip } from '../../core/text.ts';
import { gateEndLine, type GateEndFacts } from '../gate-lines.ts';
import { markdownCode, markdownFence, markdownTable, markdownText } from '../markdown-parts.ts';
import { plainStyle } from '../style.ts';
import { verifyEndLine, type VerifiedCheckpoint } from '../verify-lines.ts';

/** Rows of a table. */
const MOST_ROWS = 200;
/** Bytes of all that stands under the table. */
const MOST_OUTPUT = 100_000;

/** `skeleton gate` as Markdown: how it ended, the table of gates, the last lines of those that are red. */
export function renderGateSummary(check: GateEndFacts): string {
  const { gates } = check;
  const parts = [
    `**skeleton gate**: ${markdownText(gateEndLine(check, plainStyle))}`,
    ...gateTable(gates),
    ...within(gates.flatMap((gate) => redPart(gate))),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** `skeleton verify` as Markdown: how it ended, the table of checkpoints, what the gates that are red now printed. */
export function renderVerifySummary(
  verified: readonly VerifiedCheckpoint[],
  status: number,
): string {
  const rows = verified.slice(0, MOST_ROWS).map(({ checkpoint, outcome, reasons }) => {
    const why = markdownText(clip(reasons.join('; '), 300));
    return [markdownCode(clip(checkpoint, 150)), outcomes[outcome], why];
  });
  const table = markdownTable([['checkpoint', '', 'why'], ...rows]);
  const red = verified.flatMap(({ checkpoint, gates }) =>
    gates.flatMap((gate) => redPart(gate, checkpoint)),
  );
  const parts = [
    `**skeleton verify**: ${markdownText(verifyEndLine(verified, status, plainStyle))}`,
    ...(rows.length === 0 ? [] : [table + more(verified)]),
    ...within(red),
  ];
  return `${parts.join('\n\n')}\n`;
}

const outcomes = {
  holds: '✅ holds',
  differs: '❌ does not hold',
  'cannot-run': '⚠️ cannot be told',
} as const;

function gateTable(gates: readonly GateResult[]): readonly string[] {
  if (gates.length === 0) return [];
  const rows = gates
    .slice(0, MOST_ROWS)
    .map((gate) => [
      markdownCode(clip(gate.name, 120)),
      verdicts[gate.verdict] + (gate.soft ? ' (soft)' : ''),
      markdownText(clip(gate.ended, 200)),
      spellSeconds(gate.seconds),
    ]);
  return [markdownTable([['gate', 'verdict', 'ended', 'time'], ...rows]) + more(gates)];
}

const verdicts = {
  pass: '✅ pass',
  fail: '❌ fail',
  timeout: '❌ timeout',
  error: '⚠️ error',
  skipped: 'skipped',
} as const;

function more(all: readonly unknown[]): string {
  return all.length > MOST_ROWS ? `\n\nand ${all.length - MOST_ROWS} more` : '';
}

function redPart({ name, verdict, ended, tail }: GateResult, checkpoint = ''): readonly string[] {
  if (verdict === 'pass' || verdict === 'skipped') return [];
  const where = checkpoint === '' ? '' : ` of ${markdownCode(clip(checkpoint, 150))}`;
  const head = `#### ${markdownCode(clip(name, 120))}${where}: ${markdownText(clip(ended, 200))}`;
  return [head, tail === '' ? 'It printed nothing.' : markdownFence(tail)];
}

/** Whole parts only: a fence is never left open. */
function within(parts: readonly string[]): readonly string[] {
  let bytes = 0;
  const taken = parts.filter((part) => (bytes += byteLength(part) + 2) <= MOST_OUTPUT);
  return taken.length === parts.length ? parts : [...taken, 'More is in the log.'];
}
