import type { LiveStep } from '../src/report/live-line.ts';
import { renderLiveLine } from '../src/report/live-line.ts';
import type { Style } from '../src/report/style.ts';
import type { Sink } from './io.ts';

const EVERY = 1000;
/** Back to the line's start, and what was there away. */
const CLEAR = '\r\u001b[2K';
/** Without wrapping, a line that is too long ends at the edge: one line stays one line, whatever its width. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';

/** A terminal's last line, redrawn once a second and when the step changes; lines above it stay. */
export interface LiveLine {
  readonly print: (lines: readonly string[]) => void;
  readonly show: (step: LiveStep) => void;
  /** Takes the line away and stops. */
  readonly close: () => void;
}

/** Without a style nothing is redrawn: lines are printed, steps are not shown. */
export function openLiveLine(sink: Sink, style: Style | undefined): LiveLine {
  if (style === undefined)
    return { print: (lines) => sink.write(asText(lines)), show: ignore, close: ignore };
  let current: { readonly step: LiveStep; readonly since: number } | undefined;
  const drawn = (): string => {
    if (current === undefined) return '';
    const { step, since } = current;
    const seconds =
      step.until === undefined
        ? (performance.now() - since) / 1000
        : (Date.parse(step.until) - Date.now()) / 1000;
    return `${NO_WRAP}${renderLiveLine(step, seconds, style)}${WRAP}`;
  };
  const draw = (): void => {
    sink.write(CLEAR + drawn());
  };
  const timer = setInterval(draw, EVERY);
  timer.unref();
  return {
    print: (lines) => {
      if (lines.length > 0) sink.write(CLEAR + asText(lines) + drawn());
    },
    show: (step) => {
      current = { step, since: performance.now() };
      draw();
    },
    close: () => {
      clearInterval(timer);
      if (current !== undefined) sink.write(CLEAR);
      current = undefined;
    },
  };
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function ignore(): void {
  // Not on a terminal: the lines say it all.
}
