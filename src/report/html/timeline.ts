import { spellSeconds } from '../../core/duration.ts';
import type { ReportedTask, RunReport } from '../../core/run-report.ts';
import { clip, oneLine } from '../../core/text.ts';
import { renderBars, renderWait, type Drawing } from './bars.ts';
import { lookOf, openWords, stateLook, taskAnchor, type Look } from './marks.ts';
import { markup, type Html } from './markup.ts';
import type { MainOptions } from './options.ts';
import { plotOf, px, ticksOf, x, type Plot } from './plot.ts';

const LABEL_BYTES = 26;

/**
 * Tasks down, time across: what each attempt took, how it ended, and when the run only waited. Each bar leads to its attempt; so
 * the picture is a group of links with a text that describes it: links in an `img` would be out of reach.
 */
export function renderTimeline(
  report: RunReport,
  { now, hasDied = false }: Pick<MainOptions, 'hasDied'> & { readonly now: string | undefined },
): Html {
  // One that died lasts no longer than what it recorded.
  const plot = plotOf(report, hasDied ? undefined : now);
  const drawing = { plot, hasDied };
  const rows = report.tasks.map((task, at) => renderRow(task, at, drawing));
  return markup`<section id="timeline" aria-labelledby="timeline-name">
<h2 id="timeline-name">Timeline</h2>
<div class="picture${plot.isTall ? ' many' : ''}" id="picture" tabindex="0" role="region" aria-label="Picture of the timeline">
<svg viewBox="0 0 ${plot.width} ${plot.height}" width="${plot.width}" height="${plot.height}" role="group" aria-label="${describe(report)}">
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="3" y1="0" x2="3" y2="6" class="hatch"/></pattern></defs>
${renderAxis(plot)}
${rows}
</svg>
</div>
${renderLegend(report, openWords(hasDied))}
</section>`;
}

/** What the picture shows, and nothing that it does not. */
function renderLegend({ tasks }: RunReport, open: string): Html {
  const shown = new Set(
    tasks.flatMap(({ state, attempts, waits }) => [
      ...attempts.map((attempt) => keyOf(lookOf(attempt).kind, state === 'failed')),
      ...(waits.length > 0 ? ['wait'] : []),
    ]),
  );
  const items = keys
    .filter(([key]) => shown.has(key) || (shown.size > 0 && isPart(key)))
    .map(
      ([key, words]) =>
        markup`<li><span class="key ${key}"></span>${key === 'open' ? `◐ ${open}` : words}</li>`,
    );
  return markup`<ul class="legend" id="legend" aria-label="Legend">${items}</ul>`;
}

function keyOf(kind: Look['kind'], isFinal: boolean): string {
  return kind === 'bad' && isFinal ? 'bad final' : kind;
}

function isPart(key: string): boolean {
  return key === 'agent' || key === 'gates';
}

const keys: readonly (readonly [string, string])[] = [
  ['good', '✔ passed'],
  ['bad', '✗ rejected'],
  ['bad final', '✗ rejected, and the task failed'],
  ['weak', '◇ not proved'],
  ['void', '○ does not count'],
  ['open', '◐ under way'],
  ['wait', 'waiting'],
  ['agent', 'agent works'],
  ['gates', 'gates judge'],
];

function describe({ run, tasks }: RunReport): string {
  const attempts = tasks.reduce((sum, task) => sum + task.attempts.length, 0);
  const waits = tasks.reduce((sum, task) => sum + task.waits.length, 0);
  const number = (count: number, word: string): string =>
    `${count} ${word}${count === 1 ? '' : 's'}`;
  const parts = [number(tasks.length, 'task'), number(attempts, 'attempt'), number(waits, 'wait')];
  return `${parts.join(', ')} over ${spellSeconds(run.seconds)}; the list of tasks says the same in words`;
}

function renderAxis(plot: Plot): Html {
  const ticks = ticksOf(plot.length).map(({ at, label }) => {
    const left = px(x(at, plot));
    return markup`<line class="grid" x1="${left}" x2="${left}" y1="20" y2="${plot.height - 4}"/><text class="tick" x="${left}" y="12">${label}</text>`;
  });
  return markup`<g aria-hidden="true">${ticks}</g>`;
}

function renderRow(task: ReportedTask, at: number, drawing: Drawing): Html {
  const { plot } = drawing;
  const top = plot.top + at * plot.row;
  const middle = top + plot.row / 2;
  const waits = task.waits.map((wait) => renderWait(wait, middle, plot));
  return markup`<g><line class="rule" x1="0" x2="${plot.width}" y1="${top}" y2="${top}"/>${renderName(task, middle, openWords(drawing.hasDied))}${waits}${renderBars(task, middle, drawing)}</g>`;
}

function renderName(task: ReportedTask, middle: number, open: string): Html {
  const isOpen = task.attempts.at(-1)?.outcome.kind === 'open';
  const { kind, mark } = stateLook(task.state, isOpen);
  const id = oneLine(task.id);
  const title = `${id}: ${oneLine(task.title)}, ${isOpen ? open : task.state}`;
  return markup`<a href="#${taskAnchor(task.id)}"><title>${title}</title><text class="label" x="0" y="${middle + 4}"><tspan class="${kind}">${mark}</tspan> ${clip(id, LABEL_BYTES)}</text></a>`;
}
