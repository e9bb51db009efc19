import { clip, oneLine } from '../core/text.ts';
import type { AgentJob } from '../ports.ts';
import { feedbackText } from './feedback-text.ts';
import { fillTemplate } from './fill-template.ts';

const LONGEST_PREAMBLE = 20_000;
const LONGEST_TITLE = 500;

/** What a template may ask for (docs of `prompt:`). A text that may be missing is '' then; `task` is verbatim. */
export const promptHoles = [
  'acceptance',
  'attempt',
  'attempts',
  'feedback',
  'files',
  'gates',
  'id',
  'plan',
  'preamble',
  'protected',
  'task',
  'title',
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
  const prompt = fillTemplate(template, textsOf(job, mask(feedbackOf(job, stateFolder)))).trim();
  return `${prompt.startsWith('/') ? 'Task: ' : ''}${prompt}\n`;
}

function feedbackOf({ feedback, continues }: AgentJob, stateFolder: string): string {
  return feedback === undefined ? '' : feedbackText(feedback, stateFolder, continues);
}

function textsOf(
  job: AgentJob,
  feedback: string,
): Readonly<Record<(typeof promptHoles)[number], string>> {
  const { plan, task, attempt } = job;
  return {
    acceptance: listed('It is done when:', task.acceptance),
    attempt: String(attempt.attempt),
    attempts: String(attempt.attempts),
    feedback,
    files: listed('Files that it is expected to touch:', task.files),
    gates: gatesText(job.gates),
    id: oneLine(task.id),
    plan: oneLine(plan.path),
    preamble: preambleText(plan.preamble),
    protected: protectedText(job),
    task: task.text,
    title: clip(oneLine(task.title), LONGEST_TITLE),
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

function gatesText(gates: readonly string[]): string {
  if (gates.length === 0) return '- No gate judges it. Check it yourself.';
  return `- These gates judge the work tree when you are done: ${gates.join(', ')}. All have to pass. Run what they run before you finish.`;
}

function protectedText({ plan, task, protect }: AgentJob): string {
  const paths = ['gates/', '.skeleton.yml', '.skeleton/', plan.path, ...protect].map(oneLine);
  const rule = `- Do not change, add or delete any of these, or the attempt is rejected: ${paths.join(', ')}.`;
  const allowed = (task.config.mayChange ?? []).map(oneLine);
  return allowed.length === 0 ? rule : `${rule} This task may change: ${allowed.join(', ')}.`;
}
