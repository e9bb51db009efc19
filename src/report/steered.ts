import type { Steered } from '../core/steered.ts';
import { oneLine } from '../core/text.ts';
import { clockTime } from './clock-time.ts';
import { shellWord } from './shell-word.ts';

/** What came of `pause`, `resume`, `tell` and `skip`, in one line. `now`: ISO 8601, UTC. */
export function renderSteered(
  steered: Steered,
  { planOption, now }: { readonly planOption: string; readonly now: string },
): string {
  const { kind } = steered;
  if (kind === 'pause') return pauseLine(steered, planOption, now);
  if (kind === 'resume') return resumeLine(steered, planOption);
  const task = oneLine(steered.task ?? '');
  return kind === 'tell' ? tellLine(task, steered) : skipLine(task, steered, planOption);
}

function pauseLine(
  { how, runs, since = '', by = '' }: Steered,
  planOption: string,
  now: string,
): string {
  const next = `to go on: skeleton resume${planOption}`;
  if (how === 'already')
    return `paused already, by ${oneLine(by)} at ${clockTime(since, now)}; ${next}`;
  const what = runs
    ? 'the run finishes the attempt that is under way, then waits'
    : 'no run goes on, and the next one waits before its first attempt';
  return `paused: ${what}; ${next}`;
}

function resumeLine({ how, runs, plan }: Steered, planOption: string): string {
  if (how === 'already') return `${oneLine(plan)} is not paused`;
  return runs ? 'resumed: the run goes on' : `resumed; to go on: skeleton run${planOption}`;
}

function tellLine(task: string, { runs, isUnderWay }: Steered): string {
  if (isUnderWay === true)
    return `noted: ${task} is under way, and its next attempt is told, if it needs one`;
  return `noted: ${runs ? 'the' : 'the next'} run tells it to the next attempt of ${task}`;
}

function skipLine(
  task: string,
  { how, runs, isUnderWay, plan }: Steered,
  planOption: string,
): string {
  if (how === 'marked')
    return `${task} is marked as skipped in ${oneLine(plan)}; the next run commits that, or: git commit -- ${shellWord(plan)}`;
  if (isUnderWay === true)
    return `noted: ${task} is under way: if this attempt passes, it has passed, else it is skipped`;
  const who = runs
    ? 'the run skips it before the next task'
    : `the next skeleton run${planOption} does`;
  return `noted: ${task} is to be skipped, ${who}`;
}

/** The same as data, one object. */
export function steeredData(steered: Steered): object {
  return { type: 'steered', ...steered };
}
