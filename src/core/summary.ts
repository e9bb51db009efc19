import type { AttemptSummary } from './attempt-summary.ts';
import type { Limited, Recorded } from './events.ts';
import { groupBy } from './history.ts';
import { pastOf, type Checkpoint, type PlanPast, type TaskPast, type Told } from './plan-past.ts';
import type { RunPast, RunSummary } from './run-summary.ts';
import { textMark } from './text-mark.ts';
import { sumUsage, type UsageSum } from './usage.ts';

/** Where a task stands, in the contract's words ("Words"). One under way is pending with an open attempt. */
export const taskStates = [
  'passed',
  /** Passed, as git alone tells: `verify` has not confirmed it yet. */
  'unproven',
  'ticked',
  'unjudged',
  'failed',
  'blocked',
  'skipped',
  'pending',
] as const;
export type TaskState = (typeof taskStates)[number];

/** What a summary wants to know of a task in the plan. */
export interface PlannedTask {
  readonly id: string;
  readonly title: string;
  readonly state: 'done' | 'pending' | 'skipped';
  readonly needs: readonly string[];
  readonly line: number;
  /** As the plan has it; absent where nobody asks whether it changed. */
  readonly text?: string;
}

export interface TaskSummary {
  readonly id: string;
  readonly title: string;
  readonly state: TaskState;
  /** 1-based; 0 for a task that the plan no longer has. */
  readonly line: number;
  readonly needs: readonly string[];
  readonly attempts: readonly AttemptSummary[];
  /** Sum over its attempts. */
  readonly seconds: number;
  /** Sum over the agents' steps of all its attempts. */
  readonly usage: UsageSum;
  /** Full name of the tag, and the commit, of what passed. */
  readonly checkpoint: Checkpoint | undefined;
  /** Passed, and its text in the plan is no longer that which passed. */
  readonly textChanged?: true;
  /** What people told of it, oldest first. */
  readonly told?: readonly Told[];
  /** Why it is blocked or was stopped, as the run said it. */
  readonly why: string | undefined;
  /** Whose limit a pending task waits for, or waited for when its run ended. */
  readonly waits?: Limited;
}

/** What every report reads: a plan's tasks and runs, as its history tells them. */
export interface Summary {
  /** Oldest first. */
  readonly runs: readonly RunSummary[];
  /** In the plan's order; then those that only the history knows. */
  readonly tasks: readonly TaskSummary[];
  readonly counts: Readonly<Record<TaskState, number>>;
  /** Sum over all attempts. */
  readonly usage: UsageSum;
  /** The newest checkpoint of the plan. */
  readonly last: Checkpoint | undefined;
}

/**
 * Folds a plan's history, in order of writing, to what reports show. The plan decides what is done and what is skipped, the
 * history adds the proof: ticked without a checkpoint is `ticked`. Without a plan, the history alone speaks.
 */
export function summarise(
  planned: readonly PlannedTask[] | undefined,
  events: readonly Recorded[],
): Summary {
  return summaryOf(planned, pastOf(events));
}

/** The same of a history that is folded already. */
export function summaryOf(
  planned: readonly PlannedTask[] | undefined,
  past: Pick<PlanPast, 'tasks' | 'runs' | 'last'>,
): Summary {
  const pasts = new Map(past.tasks);
  const known = (planned ?? []).map((task) => taskOf(task, pasts.get(task.id) ?? nothing));
  const inPlan = new Set(known.map((task) => task.id));
  const unknown = past.tasks
    .filter(([id]) => !inPlan.has(id))
    .map(([id, history]) => unplanned(id, history));
  const tasks = [...unblock(known), ...unknown];
  const attempts = tasks.flatMap((task) => task.attempts);
  const byRun = groupBy(attempts, (attempt) => attempt.run);
  const runs = past.runs.map((run) => runWith(run, usageOf(byRun.get(run.run) ?? [])));
  return { runs, tasks, counts: count(tasks), usage: usageOf(attempts), last: past.last };
}

/**
 * Where machines share a history, the plan that lies here may be older than it: what has passed is done, whatever its mark says here. Only
 * the branch that they share tells that it was taken back, and whoever takes it up writes that down.
 */
export function asRecorded(
  planned: readonly PlannedTask[],
  { tasks }: Pick<PlanPast, 'tasks'>,
): readonly PlannedTask[] {
  const done = new Set(tasks.flatMap(([id, { recorded }]) => (isProved(recorded) ? [id] : [])));
  return planned.map((task) =>
    task.state === 'pending' && done.has(task.id) ? { ...task, state: 'done' } : task,
  );
}

const nothing: TaskPast = { recorded: 'pending', attempts: [] };

function runWith({ baseline, notices, ...begun }: RunPast, usage: UsageSum): RunSummary {
  return { ...begun, usage, baseline, notices };
}

function usageOf(attempts: readonly AttemptSummary[]): UsageSum {
  return sumUsage(attempts.flatMap(({ usage }) => usage ?? []));
}

/** The attempts of all tasks, in the order in which they were started. */
export function attemptsOf(summary: Summary): readonly AttemptSummary[] {
  return summary.tasks
    .flatMap((task) => task.attempts)
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
}

function taskOf(planned: PlannedTask, past: TaskPast): TaskSummary {
  const isUnderWay = past.attempts.at(-1)?.outcome.kind === 'open';
  // While the gates judge, the tick that lies in the work tree is ours, and not earned yet.
  const state = isUnderWay ? past.recorded : stateOf(planned, past.recorded);
  const task = described(planned, state, past);
  return isOtherText(planned, task, past) ? { ...task, textChanged: true } : task;
}

function isOtherText(
  planned: PlannedTask,
  { checkpoint }: TaskSummary,
  { mark }: TaskPast,
): boolean {
  if (checkpoint === undefined || mark === undefined || planned.text === undefined) return false;
  return textMark(planned.text) !== mark;
}

/** A task that the plan does not have, or no longer: its history alone speaks. */
function unplanned(id: string, past: TaskPast): TaskSummary {
  return described({ id, title: past.title ?? id, line: 0, needs: [] }, past.recorded, past);
}

function described(
  task: Pick<TaskSummary, 'id' | 'title' | 'line' | 'needs'>,
  state: TaskState,
  { attempts, checkpoint, told, why, waits }: TaskPast,
): TaskSummary {
  const { id, title, line, needs } = task;
  return {
    id,
    title,
    line,
    needs,
    state,
    attempts,
    seconds: attempts.reduce((sum, attempt) => sum + attempt.seconds, 0),
    usage: usageOf(attempts),
    checkpoint: isProved(state) ? checkpoint : undefined,
    ...(told && { told }),
    why,
    ...(state === 'pending' && waits && { waits }),
  };
}

function isProved(state: TaskState): boolean {
  return state === 'passed' || state === 'unproven' || state === 'unjudged';
}

function stateOf(planned: PlannedTask, recorded: TaskState): TaskState {
  if (planned.state === 'skipped') return 'skipped';
  if (planned.state === 'done') return isProved(recorded) ? recorded : 'ticked';
  // Passed or skipped once, but the mark is gone from the plan: that was taken back.
  return isProved(recorded) || recorded === 'skipped' ? 'pending' : recorded;
}

/** A task that was blocked when its run ended is so only as long as what it waits for has failed, or is blocked itself. */
function unblock(tasks: readonly TaskSummary[]): readonly TaskSummary[] {
  const waits = tasks
    .filter((task) => task.state === 'blocked')
    .flatMap(({ id, needs }) => needs.map((need) => ({ need, id })));
  const waiting = groupBy(waits, ({ need }) => need);
  const blocked = new Set<string>();
  const causes = tasks.filter((task) => task.state === 'failed').map((task) => task.id);
  for (const cause of causes)
    for (const { id } of waiting.get(cause) ?? []) {
      if (blocked.has(id)) continue;
      blocked.add(id);
      causes.push(id);
    }
  return tasks.map((task) =>
    task.state === 'blocked' && !blocked.has(task.id)
      ? { ...task, state: 'pending', why: undefined }
      : task,
  );
}

function count(tasks: readonly TaskSummary[]): Readonly<Record<TaskState, number>> {
  const counts = { ...noTasks };
  for (const task of tasks) counts[task.state] += 1;
  return counts;
}

const noTasks: Readonly<Record<TaskState, number>> = {
  passed: 0,
  unproven: 0,
  ticked: 0,
  unjudged: 0,
  failed: 0,
  blocked: 0,
  skipped: 0,
  pending: 0,
};
