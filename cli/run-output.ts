import type { Progress, Recorded } from '../src/index.ts';
import { find } from '../src/core/history.ts';
import { summarise } from '../src/core/summary.ts';
import { oneLine } from '../src/core/text.ts';
import { eventLine } from '../src/report/json.ts';
import { renderRunEnd, renderRunTable } from '../src/report/run-end.ts';
import { linesOf } from '../src/report/run-lines.ts';
import type { Line } from '../src/report/run-lines.ts';
import { renderRunStart } from '../src/report/run-start.ts';
import { observe } from '../src/report/run-view.ts';
import type { RunView } from '../src/report/run-view.ts';
import { chooseLook } from '../src/report/style.ts';
import type { Ci } from './ci.ts';
import { openRunTeller } from './ci-run.ts';
import { print } from './io.ts';
import type { Io } from './io.ts';
import { openLiveLine } from './live-line.ts';
import { passOn } from './pass-on.ts';

export interface RunOutputOptions {
  /** Events on standard output. */
  readonly json: boolean;
  /** Only problems and the end line. */
  readonly quiet: boolean;
  /** What the agent prints, too. */
  readonly verbose: boolean;
  /** Options that a command about this plan needs, with a blank before; '' for none. */
  readonly planOption: string;
  /** The command line that goes on with the plan. */
  readonly again: string;
  /** The same once this command has done what it was asked for; `again` unless given. */
  readonly onward?: string;
}

export interface RunOutput {
  readonly onEvent: (recorded: Recorded) => void;
  readonly onEarlier: (recorded: Recorded) => void;
  readonly onProgress: (progress: Progress) => void;
  readonly onAgentOutput: (chunk: Uint8Array) => void;
  readonly onLine: (text: string) => void;
  /** Never an event: `run.finished` is the last. */
  readonly onWarning: (text: string) => void;
  /** Takes the line that redraws itself away; says nothing more. */
  readonly close: () => void;
}

/** What a person, or with `json` a program, sees of a run while it goes (contract, "Exit status"). */
export function openRunOutput(options: RunOutputOptions, io: Io, ci?: Ci): RunOutput {
  const look = chooseLook(io.env, io.err.isTerminal);
  const isLive = look.isLive && !options.verbose && !options.quiet;
  const live = openLiveLine(io.err, isLive ? look.style : undefined);
  const telling = { style: look.style, planOption: options.planOption };
  const events: Recorded[] = [];
  const earlier: Recorded[] = [];
  let view: RunView = new Map();
  const tellCi = ci && openRunTeller(ci, options.quiet);
  const agent = passOn(io.err, ci !== undefined);
  const say = live.print;
  return {
    onEvent: (recorded) => {
      if (options.json) print(io.out, eventLine(recorded));
      events.push(recorded);
      agent.flush();
      tellCi?.(recorded);
      const lines = linesOf(view, recorded, telling);
      say(lines.filter((line) => isShown(line, options, isLive)).map((line) => line.text));
      if (isRest(recorded, view)) live.rest(recorded.task);
      view = observe(view, recorded);
      say(startLines(recorded, options));
      if (recorded.event.type !== 'run.finished') return;
      live.close();
      say(endLines([...earlier, ...events], options, look.style));
    },
    onEarlier: (recorded) => {
      // What gates said to a commit that this run only finished; the attempt itself was another run's.
      if (recorded.event.type === 'gates.passed') earlier.push(recorded);
    },
    onProgress: live.show,
    onAgentOutput: agent.take,
    onLine: (text) => print(options.json ? io.err : io.out, text),
    onWarning: (text) => say([`${look.style.warn('notice')}  ${oneLine(text)}`]),
    close: () => {
      agent.flush();
      live.close();
    },
  };
}

/** Nothing is done for a task that is over, or waits for its turn. */
function isRest({ event, task }: Recorded, view: RunView): boolean {
  if (event.type === 'task.finished') return true;
  return event.type === 'rollback.done' && view.get(task)?.isAhead === true;
}

function isShown(line: Line, options: RunOutputOptions, isLive: boolean): boolean {
  if (line.weight === 'problem') return true;
  return !options.quiet && (line.weight === 'result' || !isLive);
}

function startLines({ event }: Recorded, { quiet }: RunOutputOptions): readonly string[] {
  return event.type === 'run.started' && !quiet ? renderRunStart(event) : [];
}

function endLines(
  events: readonly Recorded[],
  options: RunOutputOptions,
  style: Parameters<typeof renderRunTable>[1],
): readonly string[] {
  const finished = find(events, 'run.finished')?.event;
  if (finished === undefined) return [];
  const summary = summarise(undefined, events);
  const { again, planOption, onward = again } = options;
  const end = renderRunEnd({ summary, finished, again, onward, planOption }, style);
  if (options.quiet) return end.slice(0, 1);
  const table = renderRunTable(summary, style);
  return table.length === 0 ? end : ['', ...table, '', ...end];
}
