import { detectCiHost } from '../core/ci-host.ts';

/** How a report marks what matters: with colours on a terminal, with nothing elsewhere. The words are the same. */
export interface Style {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

const same = (text: string): string => text;
const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;

export const plainStyle: Style = { good: same, bad: same, warn: same, faint: same, strong: same };

const colourStyle: Style = {
  good: sgr(32, 39),
  bad: sgr(31, 39),
  warn: sgr(33, 39),
  faint: sgr(2, 22),
  strong: sgr(1, 22),
};

export interface Look {
  readonly style: Style;
  /** Whether a line may be redrawn in place. */
  readonly isLive: boolean;
}

/**
 * What a stream may show (contract, "Exit status"): colour and a line that redraws itself only on a terminal, and not where
 * it is a CI job, `NO_COLOR` is set or the terminal is a dumb one. `FORCE_COLOR` colours anything; `NO_COLOR` beats it.
 */
export function chooseLook(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): Look {
  const isSet = (name: string): boolean => !['', '0', 'false'].includes(env[name] ?? '');
  if ((env['NO_COLOR'] ?? '') !== '') return { style: plainStyle, isLive: false };
  const isLive = isTerminal && detectCiHost(env) === 'none' && env['TERM'] !== 'dumb';
  return { style: isLive || isSet('FORCE_COLOR') ? colourStyle : plainStyle, isLive };
}
