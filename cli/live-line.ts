import type { LiveStep, TimedStep } from '../src/report/live-line.ts';
import { renderLiveTasks } from '../src/report/live-line.ts';
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
  /** Nothing goes on for the task for now. */
  readonly rest: (task: string) => void;
  /** Takes the line away and stops. */
  readonly close: () => void;
}

/** Without a style nothing is redrawn: lines are printed, steps are not shown. */
export function openLiveLine(sink: Sink, style: Style | undefined): LiveLine {
  if (style === undefined)
    return {
      print: (lines) => sink.write(asText(lines)),
      show: ignore,
      rest: ignore,
      close: ignore,
    };
  const current = new Map<string, Current>();
  const drawn = (): string => {
    if (current.size === 0) return '';
    return `${NO_WRAP}${renderLiveTasks([...current.values()].map(timed), style)}${WRAP}`;
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
      if (step.task !== '') current.delete('');
      current.set(step.task, { live: step, since: performance.now() });
      draw();
    },
    rest: (task) => {
      // The only one stays until something else is shown.
      if (current.size > 1) current.delete(task);
    },
    close: () => {
      clearInterval(timer);
      if (current.size > 0) sink.write(CLEAR);
      current.clear();
    },
  };
}

interface Current {
  readonly live: LiveStep;
  readonly since: number;
}

function timed({ live, since }: Current): TimedStep {
  const ms =
    live.until === undefined ? performance.now() - since : Date.parse(live.until) - Date.now();
  return { live, seconds: ms / 1000 };
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function ignore(): void {
  // Not on a terminal: the lines say it all.
}
