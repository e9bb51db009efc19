import type { Note } from '../core/note.ts';
import type { TaskSummary } from '../core/summary.ts';
import { clockTime } from './clock-time.ts';
import { verdictOf } from './run-end.ts';
import type { Holder, StatusFacts } from './status-facts.ts';

/** A task's state in words: what became of it, or who works on it, with the attempt and its stage. */
export function stateText(task: TaskSummary, { now, team }: StatusFacts): string {
  const attempt = openAttempt(task);
  const holder = team?.held.find((one) => one.task === task.id);
  if (holder !== undefined)
    return `under way: ${attempt === undefined ? '' : `${attempt} `}${whoIs(holder, now)}`;
  if (attempt === undefined)
    return `${verdictOf(task, now)}${task.textChanged === true ? ', its text changed since' : ''}`;
  return team === undefined
    ? `pending: ${attempt} under way, or cut off`
    : `interrupted: nobody works on ${attempt} any more`;
}

function openAttempt({ state, attempts }: TaskSummary): string | undefined {
  const last = attempts.at(-1);
  if (state !== 'pending' || last?.outcome.kind !== 'open') return undefined;
  const stage = last.stage === undefined ? '' : ` (${last.stage})`;
  return `attempt ${last.attempt}/${last.attempts}${stage}`;
}

function whoIs({ host, pid, since }: Holder, now: string): string {
  return `on ${host} (process ${pid}) since ${clockTime(since, now)}`;
}

/** What people have asked for it that no run has seen to yet, to be put behind its state; '' for nothing. */
export function askedFor({ id }: TaskSummary, notes: readonly Note[]): string {
  const own = notes.filter(({ task }) => task === id);
  const told = own.filter(({ kind }) => kind === 'tell').length;
  const some = told === 0 ? '' : `, ${told} note${told === 1 ? '' : 's'} for its next attempt`;
  return `${own.some(({ kind }) => kind === 'skip') ? ', to be skipped' : ''}${some}`;
}
