import { clip, oneLine } from '../core/text.ts';
import type { AgentJob } from '../ports.ts';
import { feedbackText } from './feedback-text.ts';
import { fillTemplate } from './fill-template.ts';
import { notesText } from './notes-text.ts';
import { diffText, verdictText } from './review-text.ts';

const LONGEST_PREAMBLE = 20_000;
const LONGEST_TITLE = 500;

/** What a template may ask for (docs of `prompt:`). A text that may be missing is '' then; `task` is verbatim. */
export const promptHoles = [
  'acceptance',
  'attempt',
  'attempts',
  'diff',
  'feedback',
  'files',
  'gates',
  'id',
  'notes',
  'plan',
  'preamble',
  'protected',
  'stage',
  'task',
  'title',
  'verdict',
] as const;

/**
 * The prompt of one attempt. It never begins with `/`: to some agents that would be a command of theirs. `stateFolder`:
 * absolute, what logs are named relative to. `mask` is for what earlier attempts left to say: the plan's own words stay as they are.
 */
export function renderPrompt(
  template: string,
  job: AgentJob,
  stateFolder: string,
  mask: (text: string) => string = (text) => text,
): string {
  const asked = job.stage?.review === undefined ? template : withVerdict(template);
  const whole = job.notes === undefined ? asked : withNotes(asked);
  const prompt = fillTemplate(whole, textsOf(job, mask(feedbackOf(job, stateFolder)))).trim();
  return `${prompt.startsWith('/') ? 'Task: ' : ''}${prompt}\n`;
}

/** However a template of a review is written, it ends with what the answer has to be. */
function withVerdict(template: string): string {
  return /\{\{\s*verdict\s*\}\}/.test(template) ? template : `${template}\n\n{{verdict}}\n`;
}

/** However a template is written, it has what people told: right before what the last attempt's gates said, else at its end. */
function withNotes(template: string): string {
  if (/\{\{\s*notes\s*\}\}/.test(template)) return template;
  const feedback = /^[ \t]*\{\{\s*feedback\s*\}\}[ \t]*$/m;
  return feedback.test(template)
    ? template.replace(feedback, (hole) => `{{notes}}\n\n${hole}`)
    : `${template}\n\n{{notes}}\n`;
}

function feedbackOf({ feedback, continues }: AgentJob, stateFolder: string): string {
  return feedback === undefined ? '' : feedbackText(feedback, stateFolder, continues);
}

function textsOf(
  job: AgentJob,
  feedback: string,
): Readonly<Record<(typeof promptHoles)[number], string>> {
  const { plan, task, attempt, stage } = job;
  return {
    acceptance: listed('It is done when:', task.acceptance),
    attempt: String(attempt.attempt),
    attempts: String(attempt.attempts),
    diff: stage?.review === undefined ? '' : diffText(stage.review),
    feedback,
    files: listed('Files that it is expected to touch:', task.files),
    gates: gatesText(job),
    id: oneLine(task.id),
    notes: notesText(job.notes ?? []),
    plan: oneLine(plan.path),
    preamble: preambleText(plan.preamble),
    protected: protectedText(job),
    stage: stage?.name ?? '',
    task: task.text,
    title: clip(oneLine(task.title), LONGEST_TITLE),
    verdict: stage?.review === undefined ? '' : verdictText(stage.review),
  };
}

function preambleText(preamble: string): string {
  const text = preamble.trim();
  if (text === '') return '';
  const cut = text.length > LONGEST_PREAMBLE ? `${text.slice(0, LONGEST_PREAMBLE)}\n[… cut]` : text;
  return `What the plan says of all its tasks:\n\n<plan>\n${cut}\n</plan>`;
}

function listed(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [title, ...items.map((item) => `- ${item}`)].join('\n');
}

function gatesText({ gates, gatesAtEnd = [] }: AgentJob): string {
  if (gates.length === 0 && gatesAtEnd.length > 0)
    return `- These gates judge the work after the last stage: ${gatesAtEnd.join(', ')}. All have to pass then. Run what they run before you finish.`;
  if (gates.length === 0) return '- No gate judges it. Check it yourself.';
  return `- These gates judge the work tree when you are done: ${gates.join(', ')}. All have to pass. Run what they run before you finish.`;
}

function protectedText({ plan, task, protect }: AgentJob): string {
  const paths = ['gates/', '.skeleton.yml', '.skeleton/', plan.path, ...protect].map(oneLine);
  const rule = `- Do not change, add or delete any of these, or the attempt is rejected: ${paths.join(', ')}.`;
  const allowed = (task.config.mayChange ?? []).map(oneLine);
  return allowed.length === 0 ? rule : `${rule} This task may change: ${allowed.join(', ')}.`;
}
