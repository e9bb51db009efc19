import { attemptsIn, passesIn } from './attempt-summary.ts';
import type { AttemptSummary, Passes } from './attempt-summary.ts';
import type { Limited, Recorded, TaskEvent, TaskOutcome } from './events.ts';
import { findLast, groupBy, isOfTask } from './history.ts';
import type { EventOf, OfTask } from './history.ts';
import { runOf, type RunPast } from './run-summary.ts';
import { refsToldIn } from './traces.ts';
import { waitIn } from './waiting.ts';

/** What a history alone says of a task, whatever the plan does. */
export interface TaskPast {
  /** As the plan had it last; undefined where no event told it. */
  readonly title?: string;
  readonly recorded: Exclude<TaskOutcome, 'stopped'> | 'unproven' | 'pending';
  readonly attempts: readonly AttemptSummary[];
  readonly checkpoint?: Checkpoint;
  /** Of the text that its last checkpoint was made for (core/text-mark.ts); undefined where that was not recorded. */
  readonly mark?: string;
  /** What people told of it, oldest first. */
  readonly told?: readonly Told[];
  /** Why it is blocked or was stopped, as the run said it. */
  readonly why?: string;
  readonly waits?: Limited;
}

export interface Told {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: string;
  readonly text: string;
}

/** Full name of the tag, and the commit. */
export interface Checkpoint {
  readonly tag: string;
  readonly commit: string;
}

/** A plan's history, folded as far as it goes without the plan. Of data alone: as JSON it comes back as it was. */
export interface PlanPast {
  /** By id, in the order in which the history first tells of them. */
  readonly tasks: readonly (readonly [id: string, past: TaskPast])[];
  /** Oldest first. */
  readonly runs: readonly RunPast[];
  /** The newest checkpoint. */
  readonly last?: Checkpoint;
  /** Refs that the history tells of, each to its end: snapshots, checkpoints' tags and proofs, starts. */
  readonly refs: readonly string[];
  /** Ids of all runs that wrote any of it, those included that only wrote about a task. */
  readonly writers: readonly string[];
}

/** Folds a plan's history, in order of writing. */
export function pastOf(events: readonly Recorded[]): PlanPast {
  const histories = groupBy(events.filter(isOfTask), (recorded) => recorded.task);
  const byRun = groupBy(events, (recorded) => recorded.run);
  const last = lastCheckpoint(events);
  return {
    tasks: [...histories].map(([id, history]) => [id, taskPastOf(id, history)]),
    runs: [...byRun.values()].flatMap(runOf),
    ...(last && { last }),
    refs: [...refsToldIn(events)],
    writers: [...byRun.keys()],
  };
}

/**
 * Folds on: `since` is what was written after the past, `earlier` all before it of the tasks that it tells of. Undefined where a
 * run has written on that was in the past already: of that one, too little is known.
 */
export function pastWith(
  past: PlanPast,
  {
    earlier,
    since,
  }: { readonly earlier: readonly Recorded[]; readonly since: readonly Recorded[] },
): PlanPast | undefined {
  const writers = new Set(past.writers);
  if (since.some(({ run }) => writers.has(run))) return undefined;
  const news = pastOf(since);
  const { tasks } = pastOf([...earlier, ...since]);
  return {
    tasks: [...new Map([...past.tasks, ...tasks])],
    runs: [...past.runs, ...news.runs],
    ...(past.last && { last: past.last }),
    ...(news.last && { last: news.last }),
    refs: [...new Set([...past.refs, ...news.refs])],
    writers: [...past.writers, ...news.writers],
  };
}

/** Less what gates said, which is most of a long history. */
export function withoutGates(past: PlanPast): PlanPast {
  const tasks = past.tasks.map(([id, task]) => {
    const attempts = task.attempts.map((attempt) => ({ ...attempt, gates: [] }));
    return [id, { ...task, attempts }] as const;
  });
  return { ...past, tasks };
}

function taskPastOf(id: string, history: readonly OfTask[]): TaskPast {
  const title = findLast(history, 'task.started')?.event.title;
  const checkpoint = lastCheckpoint(history);
  const mark = markOfLast(history);
  const told = toldTo(history);
  const why = findLast(history, 'task.finished')?.event.why;
  const waits = waitIn(history.map(({ event }) => event));
  return {
    ...(title !== undefined && { title }),
    recorded: recordedState(history),
    attempts: attemptsIn(id, history),
    ...(checkpoint && { checkpoint }),
    ...(mark !== undefined && { mark }),
    ...(told.length > 0 && { told }),
    ...(why !== undefined && { why }),
    ...(waits && { waits }),
  };
}

export function toldTo(history: readonly OfTask[]): readonly Told[] {
  return history.flatMap(({ at, event }) =>
    event.type === 'task.told' ? [{ at, by: event.by, text: event.text }] : [],
  );
}

/** Of the text that was worked on when the last checkpoint was made. */
function markOfLast(history: readonly OfTask[]): string | undefined {
  const passed = history.findLastIndex(({ event }) => event.type === 'checkpoint.created');
  return findLast(history.slice(0, Math.max(0, passed)), 'task.started')?.event.mark;
}

/** What the history alone says: its last word about the task counts. */
function recordedState(history: readonly OfTask[]): TaskPast['recorded'] {
  const within = { history, passes: passesIn(history) };
  return history.reduce<TaskPast['recorded']>(
    (state, { event }) => wordOn(event, within, state) ?? state,
    'pending',
  );
}

interface Within {
  readonly history: readonly OfTask[];
  readonly passes: Passes;
}

function wordOn(
  event: TaskEvent,
  { history, passes }: Within,
  state: TaskPast['recorded'],
): TaskPast['recorded'] | undefined {
  switch (event.type) {
    case 'checkpoint.created':
      if (passes.rebuilt.has(event.commit)) return 'unproven';
      return passes.judged.has(event.commit) ? 'passed' : 'unjudged';
    case 'checkpoint.verified':
      return state === 'unproven' && isLast(event, history) ? 'passed' : undefined;
    case 'task.finished':
      return event.state === 'stopped' ? 'pending' : event.state;
    case 'task.reopened':
    case 'attempt.started':
      return 'pending';
    default:
      return undefined;
  }
}

/** An earlier checkpoint of a task proves nothing of its last. */
function isLast({ tag }: EventOf<'checkpoint.verified'>, history: readonly OfTask[]): boolean {
  return findLast(history, 'checkpoint.created')?.event.tag === tag;
}

function lastCheckpoint(events: readonly Recorded[]): Checkpoint | undefined {
  const created = findLast(events, 'checkpoint.created')?.event;
  return created && { tag: created.tag, commit: created.commit };
}
