import { spellSeconds } from '../../core/duration.ts';
import { shortRef } from '../../core/refs.ts';
import {
  attemptName,
  type AttemptDetail,
  type AttemptDetails,
  type ReportedTask,
  type RunReport,
} from '../../core/run-report.ts';
import { oneLine } from '../../core/text.ts';
import { isReported, spellSum } from '../../core/usage.ts';
import { renderAttempt } from './attempt.ts';
import { shareOf } from './bounded.ts';
import { attemptCount, openWords, stateLook, taskAnchor } from './marks.ts';
import { markup, nothing, when, type Html } from './markup.ts';
import type { MainOptions } from './options.ts';

/** Every task, in the order of the run, with its attempts; what failed or is under way lies open. */
export function renderTasks(
  { tasks }: RunReport,
  details: AttemptDetails,
  { planOption, hasDied }: MainOptions,
): Html {
  const most = shareOf([...details.values()].flatMap(lengthsOf));
  const shown = tasks.map((task) => renderTask(task, details, { planOption, most, hasDied }));
  return markup`<section id="tasks" aria-labelledby="tasks-name">
<h2 id="tasks-name">Tasks</h2>
${tasks.length === 0 ? markup`<p>The run has begun no task.</p>` : shown}
<p id="no-hits" hidden>No task and no attempt has these words.</p>
</section>`;
}

function lengthsOf({ attempt, prompt, diff, outputs }: AttemptDetail): readonly number[] {
  const gates = attempt.gates.map(({ name, tail }) => outputs.get(name) ?? tail);
  return [prompt ?? '', diff ?? '', ...gates].map((text) => text.length);
}

interface Shown {
  readonly planOption: string;
  /** Characters of each text. */
  readonly most: number;
  readonly hasDied: boolean | undefined;
}

function renderTask(task: ReportedTask, details: AttemptDetails, shown: Shown): Html {
  const last = task.attempts.at(-1);
  const isOpen = last?.outcome.kind === 'open';
  const isToSee = task.state === 'failed' || isOpen;
  const attempts = task.attempts.flatMap((attempt) => {
    const detail = details.get(attemptName(attempt));
    if (detail === undefined) return [];
    return renderAttempt(detail, { ...shown, isToSee: isToSee && attempt === last });
  });
  const head = renderHead(task, isOpen, openWords(shown.hasDied));
  const body =
    attempts.length === 0
      ? head
      : markup`<details${isToSee ? markup` open` : nothing}><summary>${head}</summary>
${attempts}
</details>`;
  return markup`<article class="task" id="${taskAnchor(task.id)}" data-state="${isOpen ? 'open' : task.state}">${body}</article>`;
}

function renderHead(task: ReportedTask, isOpen: boolean, open: string): Html {
  const { kind, mark } = stateLook(task.state, isOpen);
  const title = task.title === task.id ? '' : oneLine(task.title);
  const facts = factsOf(task).map((fact) => markup` <span>${fact}</span>`);
  return markup`<h3><span class="mark ${kind}" aria-hidden="true">${mark}</span> <span class="id">${oneLine(task.id)}</span>${when(title, (text) => markup` <span class="title">${text}</span>`)}</h3>
<p class="facts-line"><strong class="${kind}">${isOpen ? open : task.state}</strong>${facts}</p>`;
}

function factsOf(task: ReportedTask): readonly string[] {
  const { state, why, attempts, checkpoint, usage } = task;
  return [
    state === 'blocked' || state === 'pending' ? oneLine(why ?? '') : '',
    attempts.length === 0 ? '' : `${attemptCount(task)}, ${spellSeconds(task.seconds)}`,
    isReported(usage) ? spellSum(usage) : '',
    checkpoint === undefined ? '' : oneLine(shortRef(checkpoint.tag)),
  ].filter((fact) => fact !== '');
}
