import type { AttemptSummary } from '../../core/attempt-summary.ts';
import { spellSeconds } from '../../core/duration.ts';
import { attemptName, type ReportedTask, type Wait } from '../../core/run-report.ts';
import { oneLine } from '../../core/text.ts';
import { verdictWords } from './attempt.ts';
import { attemptAnchor, lookOf } from './marks.ts';
import { markup, nothing, type Html } from './markup.ts';
import { px, since, x, type Plot } from './plot.ts';

const HIGH = 12;
const LOW = 6;
/** However short it was. */
const LEAST = 4;
/** Marks nearer to each other could not be told apart. */
const MARK_ROOM = 10;

/** A time in which the run only waited. */
export function renderWait(wait: Wait, middle: number, plot: Plot): Html {
  const from = since(wait.from, plot);
  const end = wait.to === undefined ? plot.length : since(wait.to, plot);
  const [left, right] = [x(from, plot), x(end, plot)];
  const until = `${wait.until.slice(11, 16)} UTC`;
  const words = `waits for ${wait.agent ?? 'the agent'} until ${until}: ${spellSeconds(end - from)}`;
  return markup`<g><title>${oneLine(words)}</title><rect class="wait" x="${px(left)}" y="${middle - HIGH / 2}" width="${px(Math.max(right - left, LEAST))}" height="${HIGH}" fill="url(#hatch)"/></g>`;
}

export interface Drawing {
  readonly plot: Plot;
  /** The run ended without a word. */
  readonly hasDied: boolean;
}

/** The attempts of one task, in one row. */
export function renderBars(
  task: ReportedTask,
  middle: number,
  { plot, hasDied }: Drawing,
): readonly Html[] {
  const bars = task.attempts.map((attempt) => placeOf(attempt, plot));
  return bars.map((bar, at) => {
    const next = bars[at + 1];
    const isClear = next !== undefined && !plot.isTall && next.right - bar.right >= MARK_ROOM;
    const mark = next === undefined ? 'after' : isClear ? 'above' : 'none';
    return renderBar(bar, middle, { mark, isFinal: task.state === 'failed', hasDied });
  });
}

interface Bar {
  readonly attempt: AttemptSummary;
  readonly left: number;
  /** Where the gates took over. */
  readonly turn: number;
  readonly right: number;
}

function placeOf(attempt: AttemptSummary, plot: Plot): Bar {
  const from = since(attempt.startedAt, plot);
  const isOpen = attempt.outcome.kind === 'open';
  const left = x(from, plot);
  const right = Math.max(x(isOpen ? plot.length : from + attempt.seconds, plot), left + LEAST);
  const worked = attempt.agentEnd?.seconds;
  const turn = worked === undefined ? right : Math.max(x(from + worked, plot), left + LEAST / 2);
  return { attempt, left, turn: Math.min(turn, right), right };
}

interface BarLook {
  /** Where the sign of its verdict stands. */
  readonly mark: 'above' | 'after' | 'none';
  /** What it tried came to nothing in the end. */
  readonly isFinal: boolean;
  readonly hasDied: boolean;
}

/** The agent's part stands high, that of the gates after it low. */
function renderBar({ attempt, left, turn, right }: Bar, middle: number, look: BarLook): Html {
  const { kind, mark } = lookOf(attempt);
  const words = `${oneLine(attemptName(attempt))}: ${verdictWords(attempt, look.hasDied)}; ${spellSeconds(attempt.seconds)}`;
  const rect = (name: string, from: number, to: number, high: number): Html =>
    to - from < 0.3
      ? nothing
      : markup`<rect class="${name}" x="${px(from)}" y="${middle - high / 2}" width="${px(to - from)}" height="${high}"/>`;
  const marks = {
    above: markup`<text class="mark above" x="${px(right)}" y="${middle - HIGH / 2 - 1}">${mark}</text>`,
    after: markup`<text class="mark" x="${px(right + 3)}" y="${middle + 3.5}">${mark}</text>`,
    none: nothing,
  };
  const final = look.isFinal ? ' final' : '';
  return markup`<a href="#${attemptAnchor(attempt)}" class="bar ${kind}${final}" aria-label="${words}"><title>${words}</title>${rect('hit', left - 2, right + 2, HIGH + 8)}${rect('agent', left, turn, HIGH)}${rect('gates', turn, right, LOW)}${marks[look.mark]}</a>`;
}
