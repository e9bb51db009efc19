import { spellSeconds } from '../../core/duration.ts';
import { shortRef } from '../../core/refs.ts';
import type { ReportedTask, RunReport } from '../../core/run-report.ts';
import { oneLine } from '../../core/text.ts';
import { spellSum } from '../../core/usage.ts';
import { whyOf } from '../log.ts';
import { countWords, hostedRun } from '../reported-words.ts';
import { shellWord } from '../shell-word.ts';
import { renderFacts, renderTime } from './facts.ts';
import { attemptCount, taskAnchor } from './marks.ts';
import { asIs, markup, nothing, type Html } from './markup.ts';
import type { MainOptions } from './options.ts';

const MOST_NAMED = 8;

export interface Headline {
  readonly kind: 'good' | 'bad' | 'open' | 'stopped';
  readonly mark: string;
  /** `2 of 7 tasks passed, 1 failed, 4 blocked`. */
  readonly words: string;
}

/** The line to read first. */
export function headlineOf(report: RunReport, hasDied = false): Headline {
  const { status } = report.run;
  if (status === undefined && hasDied)
    return { kind: 'stopped', mark: '■', words: `Died: ${soFar(report, 'cut off')}` };
  if (status === undefined) return { kind: 'open', mark: '◐', words: soFar(report, 'under way') };
  const words = headWords(report);
  if (status === 0) return { kind: 'good', mark: '✔', words };
  return status === 1 ? { kind: 'bad', mark: '✗', words } : { kind: 'stopped', mark: '■', words };
}

/** As all reports count, but with how many there are in all. */
function headWords(report: RunReport): string {
  const counted = countWords(report);
  const all = [...counted.matchAll(/\d+/g)].reduce((sum, [number]) => sum + Number(number), 0);
  if (all === 0) return 'No task begun';
  const passed = Number(/^(\d+) passed/.exec(counted)?.[1] ?? 0);
  if (passed === all && all > 1) return `All ${all} tasks passed`;
  const rest = counted.split(', ').filter((part) => !part.endsWith(' passed'));
  return [`${passed} of ${all} ${all === 1 ? 'task' : 'tasks'} passed`, ...rest].join(', ');
}

/** Of a run that goes on nobody knows yet how many tasks it will come to. */
function soFar(report: RunReport, open: string): string {
  const parts = countWords(report)
    .split(', ')
    .filter((part) => /^\d/.test(part) && !part.endsWith(' pending'));
  const passed = parts.find((part) => part.endsWith(' passed')) ?? '0 passed';
  const rest = parts.filter((part) => part !== passed);
  const tasks = report.tasks.filter(({ attempts }) => attempts.at(-1)?.outcome.kind === 'open');
  const named = tasks.slice(0, MOST_NAMED).map(({ id }) => oneLine(id));
  const underWay = named.length === 0 ? [] : [`${named.join(', ')} ${open}`];
  return [`${passed} so far`, ...rest, ...underWay].join(', ');
}

export function renderHeadline(report: RunReport, options: MainOptions): Html {
  const { kind, mark, words } = headlineOf(report, options.hasDied);
  const next = nextCommand(report, options);
  return markup`<section id="headline" class="${kind}">
<h1 id="summary" aria-live="polite"><span class="mark" aria-hidden="true">${mark}</span> ${words}</h1>
${renderTroubles(report)}
${next === '' ? nothing : markup`<p id="next" class="next">Next: <code>${next}</code></p>`}
${renderFacts(factsOf(report, options))}
${renderNotices([...(options.notice === undefined ? [] : [options.notice]), ...report.run.notices])}
</section>`;
}

/** Which tasks failed or were left, why and after how many attempts; and which are blocked. */
function renderTroubles({ tasks }: RunReport): Html {
  const troubled = tasks.filter(
    ({ state, attempts }) =>
      state === 'failed' || (state === 'pending' && attempts.at(-1)?.outcome.kind !== 'open'),
  );
  const blocked = tasks.filter(({ state }) => state === 'blocked');
  const rows = troubled.slice(0, MOST_NAMED).map(renderTrouble);
  const more = troubled.length - rows.length;
  const items = [
    ...rows,
    ...(more > 0 ? [markup`<li>and ${more} more</li>`] : []),
    ...(blocked.length > 0 ? [markup`<li>Blocked: ${links(blocked)}</li>`] : []),
  ];
  return items.length === 0 ? nothing : markup`<ul id="troubles" class="troubles">${items}</ul>`;
}

function renderTrouble(task: ReportedTask): Html {
  const last = task.attempts.at(-1);
  const reason = (last && whyOf(last)) ?? '';
  const why = oneLine(reason === '' ? (task.why ?? '') : reason);
  const words = [why, attemptCount(task)].filter((part) => part !== '').join(', ');
  return markup`<li class="${task.state}">${link(task)} <strong>${task.state}</strong>: ${words}</li>`;
}

function links(tasks: readonly ReportedTask[]): Html {
  const named = tasks.slice(0, MOST_NAMED).map((task) => link(task).html);
  const more = tasks.length - named.length;
  return asIs(named.join(', ') + (more > 0 ? ` and ${more} more` : ''));
}

function link({ id }: ReportedTask): Html {
  return markup`<a href="#${taskAnchor(id)}">${oneLine(id)}</a>`;
}

/** What a reader types next; '' where nothing is left to do, or the run goes on. */
function nextCommand({ run, tasks }: RunReport, { planOption, hasDied }: MainOptions): string {
  const failed = tasks.find(({ state }) => state === 'failed')?.attempts.at(-1);
  if (failed !== undefined)
    return oneLine(`skeleton show ${shellWord(`${failed.task}#${failed.number}`)}${planOption}`);
  const isLeft = run.status === undefined ? hasDied === true : run.status !== 0;
  return isLeft ? `skeleton run${planOption}` : '';
}

function factsOf(
  report: RunReport,
  { hasDied }: MainOptions,
): readonly (readonly [string, Html | string])[] {
  const { run, runs = [] } = report;
  return [
    ['time', spellSeconds(run.seconds)],
    ['used', spellSum(run.usage)],
    ['the tree is at', treeOf(report)],
    ['branch', shortRef(run.branch)],
    ['begun', renderTime(run.startedAt)],
    ['ended', endOf(report, hasDied === true)],
    ['baseline', run.baseline === 'fail' ? 'red: the gates reject the untouched tree' : ''],
    ...(runs.length === 0
      ? [['run', run.run] as const]
      : runs.map((one) => ['run', hostedRun(one)] as const)),
  ];
}

/** The newest checkpoint of the run, else where it began. */
function treeOf({ run, tasks }: RunReport): string {
  const tags = tasks.flatMap(({ attempts }) =>
    attempts.flatMap(({ outcome }) => (outcome.kind === 'passed' ? [outcome.tag] : [])),
  );
  const newest = tags.sort((a, b) => numberOf(a) - numberOf(b)).at(-1);
  return newest === undefined ? run.base.slice(0, 10) : shortRef(newest);
}

/** NNNN of `refs/tags/skeleton/PLAN/NNNN-TASK`. */
function numberOf(tag: string): number {
  return Number(/\/(\d+)-[^/]*$/.exec(tag)?.[1] ?? 0);
}

const reasons: Readonly<Record<string, string>> = {
  done: 'all that was asked is done',
  failed: 'a task failed',
  limit: 'a limit was reached',
  'signed-out': 'the agent cannot work before that is mended',
};

function endOf({ run }: RunReport, hasDied: boolean): string {
  if (run.status === undefined && hasDied) return 'died; skeleton run goes on from there';
  if (run.status === undefined) return 'not yet: it goes on, or was cut off';
  const why = run.why === undefined ? '' : `, ${reasons[run.why] ?? run.why}`;
  return `exit ${run.status}${why}`;
}

function renderNotices(notices: readonly string[]): Html {
  if (notices.length === 0) return nothing;
  const items = notices.map((notice) => markup`<li>${oneLine(notice)}</li>`);
  return markup`<div id="notices" class="notices"><h2>Notices</h2><ul>${items}</ul></div>`;
}
