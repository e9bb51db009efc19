import { spellSeconds } from '../core/duration.ts';
import type { GateResult } from '../core/events.ts';
import { oneLine } from '../core/text.ts';
import type { Style } from './style.ts';
import { tellingLines } from './telling-lines.ts';

/** A gate's verdict with its seconds and, unless it passed, the lines that matter of what it printed. */
export function gateLines(gate: GateResult, style: Style): readonly string[] {
  const { name, verdict, ended, seconds, soft } = gate;
  const isFine = verdict === 'pass' || verdict === 'skipped';
  const note = soft && !isFine ? '; it is soft and does not reject' : '';
  const head = `${mark(gate, style)} ${style.strong(oneLine(name))}  ${verdict} (${oneLine(ended)}), ${spellSeconds(seconds)}${note}`;
  if (isFine) return [head];
  const lines = tellingLines(gate.tail).map((line) => `    ${style.faint('│')} ${line}`);
  return [head, ...(lines.length > 0 ? lines : [style.faint('    it printed nothing')])];
}

function mark({ verdict, soft }: GateResult, style: Style): string {
  if (verdict === 'pass') return style.good('✔');
  if (verdict === 'skipped') return style.faint('-');
  return soft || verdict === 'error' ? style.warn('!') : style.bad('✗');
}

const sentences = {
  pass: 'the gates accept this tree',
  fail: 'the gates reject this tree',
  ungated: 'no gate accepts this tree: all are soft or skipped',
  error: 'a gate could not judge',
  interrupted: 'interrupted',
} as const;

export interface GateEndFacts {
  readonly verdict: keyof typeof sentences;
  readonly status: number;
  readonly gates: readonly GateResult[];
}

/** The last line of `skeleton gate`. */
export function gateEndLine({ verdict, status, gates }: GateEndFacts, style: Style): string {
  const red = gates.filter(
    ({ soft, verdict: said }) => !soft && ['fail', 'timeout'].includes(said),
  );
  const names = red.map(({ name }) => oneLine(name)).join(', ');
  const paint = status === 0 ? style.good : style.bad;
  return `${paint(sentences[verdict])}${names === '' ? '' : `: ${names}`} (exit ${status})`;
}
