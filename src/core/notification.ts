import { describeFailure } from './failure.ts';
import type { RunCounts } from './events.ts';
import type { NotifyConfig } from './config/config.ts';
import type { NotifyWord } from './notify-words.ts';
import { shortRef } from './refs.ts';
import { shellWord } from './shell-word.ts';
import type { Summary, TaskSummary } from './summary.ts';
import { oneLine } from './text.ts';
import { tokensOf } from './usage.ts';

/** What somebody is told of a run: one JSON object (docs/notifications.md). What is not known is absent. */
export interface Notification {
  readonly schema: 1;
  readonly event: NotifyWord;
  /** One line for people; Slack and those that take its format show it. */
  readonly text: string;
  /** Name of the folder that the repository lies in. */
  readonly repository: string;
  readonly host: string;
  /** Path of the plan, relative to the top. */
  readonly plan?: string;
  readonly run?: string;
  /** Its short name. */
  readonly branch?: string;
  /** Exit status; absent while the run goes on. */
  readonly status?: number;
  readonly why?: string;
  /** Of the task that was stopped, where one was: why, in a sentence. */
  readonly detail?: string;
  /** What mends it, a line each. */
  readonly mend?: readonly string[];
  readonly counts?: RunCounts;
  /** At most 20; `counts` has how many there are. */
  readonly failed?: readonly FailedTask[];
  readonly waits?: { readonly agent: string; readonly task: string; readonly until: string };
  readonly seconds?: number;
  /** As far as the agents report them. */
  readonly usd?: number;
  readonly tokens?: number;
  /** The newest checkpoint that the run made. */
  readonly last?: { readonly tag: string; readonly commit: string };
}

export interface FailedTask {
  readonly task: string;
  readonly title: string;
  /** Of its last attempt: the N of `TASK#N`, and 1…5. */
  readonly number?: number;
  readonly attempt?: number;
  readonly why?: string;
  /** Names of the gates that rejected it. */
  readonly gates: readonly string[];
  /** The command that shows more. */
  readonly next: string;
}

/** How a run ended, waits, or was refused, before it is put in words. */
export interface Tidings {
  readonly event: NotifyWord;
  readonly repository: string;
  readonly host: string;
  readonly plan?: string | undefined;
  readonly status?: number | undefined;
  readonly why?: string | undefined;
  readonly mend?: string | undefined;
  readonly waits?: Notification['waits'] | undefined;
  /** Of the run's own events; undefined where it has none. */
  readonly summary?: Summary | undefined;
  /** Options that a command about the plan needs, with a blank before; '' for none. */
  readonly planOption: string;
}

const MOST_FAILED = 20;

export function notificationOf(tidings: Tidings): Notification {
  const { event, repository, host, plan, status, why, waits, summary } = tidings;
  const mend = tidings.mend?.split('\n').filter((line) => line.trim() !== '') ?? [];
  return {
    schema: 1,
    event,
    text: spell(tidings),
    repository,
    host,
    ...(plan !== undefined && { plan }),
    ...(status !== undefined && { status }),
    ...(why !== undefined && { why }),
    ...(mend.length > 0 && { mend }),
    ...(waits && { waits }),
    ...(summary && ofRun(summary, tidings.planOption)),
  };
}

type OfRun = Omit<Notification, 'schema' | 'event' | 'text' | 'repository' | 'host'>;

function ofRun({ runs, tasks, usage, last }: Summary, planOption: string): OfRun {
  const run = runs.at(-1);
  const failed = tasks.filter(({ state }) => state === 'failed').slice(0, MOST_FAILED);
  const tokens = tokensOf(usage);
  const detail = tasks.findLast(({ state, why }) => state === 'pending' && why !== undefined)?.why;
  return {
    ...(run && { run: run.run, branch: shortRef(run.branch), seconds: Math.round(run.seconds) }),
    ...(run?.counts && { counts: run.counts }),
    ...(detail !== undefined && { detail }),
    ...(failed.length > 0 && { failed: failed.map((task) => failedTask(task, planOption)) }),
    ...(usage.usd !== undefined && { usd: usage.usd }),
    ...(tokens !== undefined && { tokens }),
    ...(last && { last }),
  };
}

function failedTask(task: TaskSummary, planOption: string): FailedTask {
  const { id, title, attempts } = task;
  const last = attempts.at(-1);
  const failure = last?.outcome.kind === 'rejected' ? last.outcome.failure : undefined;
  const shown = last === undefined ? id : `${id}#${last.number}`;
  const why = failure === undefined ? task.why : describeFailure(failure);
  return {
    task: id,
    title,
    ...(last && { number: last.number, attempt: last.attempt }),
    ...(why !== undefined && { why }),
    gates: failure?.gates ?? [],
    next: `skeleton show ${shellWord(shown)}${planOption}`,
  };
}

const verbs: Readonly<Record<NotifyWord, string>> = {
  done: 'done',
  failed: 'failed',
  stopped: 'stopped early',
  budget: 'stopped: the budget is reached',
  waiting: 'is waiting',
  refused: 'did not start',
  bug: 'met a bug of its own',
  interrupted: 'interrupted',
};

/** `my-app, PLAN.md: failed (3 passed, 1 failed: T4)`. Chat programs take `<…>` for a link or a call to everybody. */
function spell(tidings: Tidings): string {
  const { event, repository, plan, waits } = tidings;
  const about = waits ? `${waits.agent}, until ${waits.until}` : aboutEnd(tidings);
  const where = plan === undefined ? repository : `${repository}, ${plan}`;
  const text = `${where}: ${verbs[event]}${about === '' ? '' : ` (${about})`}`;
  return oneLine(text).replaceAll('<', '‹').replaceAll('>', '›');
}

function aboutEnd({ event, why = '', summary }: Tidings): string {
  const counted = spellCounts(summary);
  if (counted !== '' || event === 'done' || event === 'failed') return counted;
  return why.split('\n')[0] ?? '';
}

const counted = ['passed', 'unjudged', 'failed', 'blocked', 'pending'] as const;

function spellCounts(summary: Summary | undefined): string {
  const counts = summary?.runs.at(-1)?.counts;
  if (summary === undefined || counts === undefined) return '';
  const failed = summary.tasks.filter(({ state }) => state === 'failed').map(({ id }) => id);
  return counted
    .filter((word) => counts[word] > 0)
    .map((word) => `${counts[word]} ${word}${word === 'failed' ? `: ${first(failed)}` : ''}`)
    .join(', ');
}

const MOST_NAMED = 5;

function first(ids: readonly string[]): string {
  return ids.slice(0, MOST_NAMED).join(' ') + (ids.length > MOST_NAMED ? ' …' : '');
}

/** Whoever interrupts a run knows it: that is told only where it is asked for. */
export function isTold({ on }: NotifyConfig, word: NotifyWord): boolean {
  return on === undefined ? word !== 'interrupted' : on.includes(word);
}

/** `a webhook at hooks.slack.com (failed, refused)`: who is told, and no secret. */
export function spellNotifier({ webhook, on }: NotifyConfig): string {
  const who = webhook === undefined ? 'a command' : `a webhook at ${placeOf(webhook)}`;
  return on === undefined ? who : `${who} (${on.join(', ')})`;
}

/** The host of an address, or the variable that holds it. */
export function placeOf(webhook: string): string {
  return /^https?:\/\/(?:[^/?#\s]*@)?([^/?#\s]*)/i.exec(webhook)?.[1] ?? webhook;
}

/** The variable's name, where the address lies in one. */
export function variableOf(webhook: string): string | undefined {
  return /^\$\{?(\w+)\}?$/.exec(webhook)?.[1];
}
