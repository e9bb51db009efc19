import { chargedIn } from '../core/attempt-summary.ts';
import type { AttemptDetails, RunReport } from '../core/run-report.ts';
import type { Summary, TaskSummary } from '../core/summary.ts';
import { byteLength, clip } from '../core/text.ts';
import { markdownCode, markdownText } from './markdown-parts.ts';
import { renderMarkdown } from './markdown.ts';
import { taskWords } from './reported-words.ts';

/**
 * What GitHub takes (65,536 characters; GitLab takes more) and one argument of a program may have (execve(2): 128 KiB), with
 * room for what others add. Bytes.
 */
const MOST_BYTES = 60_000;
/** Tasks that have a line of their own. */
const MOST_TASKS = 200;
const MOST_NAMED = 20;

export interface PullRequestFacts {
  readonly planPath: string;
  readonly summary: Summary;
  /** The plan's last run; undefined where it has none. */
  readonly last: { readonly report: RunReport; readonly details: AttemptDetails } | undefined;
}

/** The text of a pull request: where the plan stands, a line for each task, then the report of its last run. */
export function renderPullRequest({ planPath, summary, last }: PullRequestFacts): string {
  const own = [headline(planPath, summary), taskLines(summary)].join('\n\n');
  if (last === undefined) return `${own}\n`;
  const head = `${own}\n\n### The last run\n\n`;
  return `${head}${renderMarkdown(last.report, last.details, MOST_BYTES - byteLength(head))}`;
}

function headline(planPath: string, { tasks, counts }: Summary): string {
  const failed = tasks.filter(({ state }) => state === 'failed');
  const rest = (['unjudged', 'ticked', 'unproven', 'blocked', 'pending', 'skipped'] as const)
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`);
  const parts = [
    `**${counts.passed} of ${tasks.length} task${tasks.length === 1 ? '' : 's'} passed**`,
    ...(failed.length === 0 ? [] : [`**failed: ${named(failed)}**`]),
    ...rest,
  ];
  return `${markdownCode(planPath)}: ${parts.join('; ')}`;
}

function named(tasks: readonly TaskSummary[]): string {
  const ids = tasks.slice(0, MOST_NAMED).map(({ id }) => markdownCode(clip(id, 80)));
  const more = tasks.length - ids.length;
  return `${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function taskLines({ tasks }: Summary): string {
  const lines = tasks.slice(0, MOST_TASKS).map(taskLine);
  const more = tasks.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

const done: ReadonlySet<TaskSummary['state']> = new Set([
  'passed',
  'unproven',
  'ticked',
  'unjudged',
]);

function taskLine(task: TaskSummary): string {
  const { id, title, state, attempts } = task;
  const words = markdownText(clip(taskWords({ ...task, waits: [] }), 300));
  const tries = chargedIn(attempts);
  const counted = tries > 1 ? `, ${tries} attempts` : '';
  const name = [markdownCode(clip(id, 80)), title === id ? '' : markdownText(clip(title, 160))];
  const spelled = state === 'failed' ? `**${words}**` : words;
  return `- [${done.has(state) ? 'x' : ' '}] ${name.filter(Boolean).join(' ')}: ${spelled}${counted}`;
}
