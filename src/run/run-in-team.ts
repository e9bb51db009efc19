import { replay } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { unmet } from '../core/schedule.ts';
import { Refusal, StaleWrite, type TeamSurvey } from '../ports.ts';
import {
  block,
  count,
  isDone,
  isOver,
  nextBlocked,
  openBoard,
  passedIn,
  whyEnded,
  type Board,
} from './board.ts';
import type { RunEnd, RunJob } from './run-job.ts';
import type { Session } from './session.ts';
import { finishInTeam, takeUpInTeam } from './take-up-in-team.ts';
import type { Team, Tip } from './team.ts';
import { refuseUnseen } from './unseen.ts';
import { whileHeld } from './while-held.ts';

/** Milliseconds between two looks at who works on what: a death tells nobody. */
const PAUSE = 1000;
/** Milliseconds after which the remote is asked although nothing seems to have changed: a person may have pushed. */
const LONGEST_UNSEEN = 15_000;

interface Worker {
  readonly job: RunJob;
  readonly board: Board;
  readonly session: Session;
  readonly team: Team;
}

/**
 * Works through the plan together with every other machine that does: whoever claims a ready task works on it, and all stay until
 * nothing is left that may become theirs, so that the task of one that dies is taken up.
 */
export async function runInTeam(job: RunJob, session: Session, team: Team): Promise<RunEnd> {
  const board = openBoard(job, session);
  const worker: Worker = { job, board, session, team };
  const watch = openWatch(worker);
  while (isAtWork(worker)) {
    const survey = await watch.look();
    // Others may have met what ends this run, too.
    if (!isAtWork(worker) || !isAnyOpen(worker)) break;
    const isBusy = (await claimNext(worker, survey)) || (await blockOne(worker));
    if (isBusy) watch.forget();
    else await team.claims.changed(PAUSE, session.signal);
  }
  const why = (await wasUnpushed(worker)) ? 'unpushed' : whyEnded(board.outcomes, session);
  const failed = [...board.outcomes].flatMap(([id, outcome]) => (outcome === 'failed' ? [id] : []));
  const tree = await settle(worker);
  return { why, counts: count(session, board.outcomes), team: { tree, failed } };
}

/** What has been done is done, also where the remote cannot be asked any more. */
async function settle({ session, team }: Worker): Promise<string> {
  if (session.signal.aborted) return '';
  try {
    return await team.settle();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    team.say(`this run's work tree stays where it is: ${error.message}`);
    return '';
  }
}

/** Whether the remote did not take what this machine had brought that far: then that, and nothing else, has stopped it. */
async function wasUnpushed({ board, session }: Worker): Promise<boolean> {
  const [stopped] = [...board.outcomes].find(([, outcome]) => outcome === 'stopped') ?? [];
  if (stopped === undefined || session.signal.aborted) return false;
  const state = replay(await session.journal.open(stopped));
  return state.phase === 'stopped' && state.why === 'unpushed';
}

function isAtWork({ board, session }: Worker): boolean {
  return !session.signal.aborted && !isOver(board.outcomes, session);
}

function isAnyOpen({ job, board }: Worker): boolean {
  return job.tasks.some(({ id }) => board.standing(id) === 'open');
}

interface Watch {
  /** Notes what has become of the tasks, on the remote's branch and in the ledger. */
  readonly look: () => Promise<TeamSurvey>;
  /** The remote is asked the next time, whatever the ledger says. */
  readonly forget: () => void;
}

function openWatch(worker: Worker): Watch {
  const { team, session } = worker;
  let seen = '';
  let at = -Infinity;
  return {
    look: async () => {
      const survey = await team.claims.survey(session.journal.plan);
      const now = session.ports.clock.monotonic();
      const word = JSON.stringify([survey.held, [...survey.settled]]);
      if (word === seen && now - at < LONGEST_UNSEEN) return survey;
      const tip = await team.look();
      note(tip, survey, worker);
      await finishLeft(tip, worker);
      seen = word;
      at = now;
      return survey;
    },
    forget: () => {
      seen = '';
    },
  };
}

function note(tip: Tip, survey: TeamSurvey, { job, board, session }: Worker): void {
  for (const { id } of job.tasks) {
    const settled = survey.settled.get(id);
    if (tip.done.has(id)) board.outcomes.set(id, passedIn(session));
    // It was taken off the branch again.
    else if (isDone(board.outcomes.get(id))) board.outcomes.delete(id);
    else if (settled !== undefined && !board.outcomes.has(id)) board.outcomes.set(id, settled);
  }
}

/** What is on the branch, and has no end in the ledger: whoever brought it there is gone. */
async function finishLeft({ done }: Tip, { session, team }: Worker): Promise<void> {
  const { plan } = session.journal;
  const open = await session.ports.ledger.underWayElsewhere(plan, '');
  for (const { task } of open.filter((one) => done.has(one.task))) {
    const claim = await team.claims.claim(plan, [task]);
    if (claim !== undefined) await finishInTeam(claim, session, team);
  }
}

/** Works on the first ready task that nobody holds; false where there is none. */
async function claimNext(worker: Worker, survey: TeamSurvey): Promise<boolean> {
  const { job, board, session, team } = worker;
  const { standing, rules, outcomes } = board;
  const isReady = (task: Task): boolean =>
    standing(task.id) === 'open' &&
    !job.usedUp.has(task.id) &&
    unmet(task, standing, rules).length === 0;
  const ready = job.tasks.filter(isReady);
  if (ready.length === 0) return false;
  const ids = ready.map(({ id }) => id);
  const claim = await team.claims.claim(session.journal.plan, ids);
  const task = ready.find(({ id }) => id === claim?.task);
  if (claim === undefined || task === undefined) {
    await takeAgain(ready, survey, worker);
    return false;
  }
  const outcome = await takeUpInTeam({ task, claim }, session, team);
  if (outcome !== undefined) outcomes.set(task.id, outcome);
  return true;
}

/**
 * Of tasks that can be claimed by nobody. The ledger is asked first: what it knows to have passed came onto the branch before, and
 * where somebody has taken it back there since, it is to do again.
 */
async function takeAgain(
  tasks: readonly Task[],
  { held }: TeamSurvey,
  { session, team }: Worker,
): Promise<void> {
  for (const { id } of tasks.filter((task) => held.every((one) => one.task !== task.id))) {
    const state = replay(await session.journal.open(id));
    if (state.phase !== 'passed') continue;
    const tip = await team.look();
    if (tip.done.has(id)) continue;
    await refuseUnseen(state, tip, team);
    try {
      await session.journal.append(id, { type: 'task.reopened', anew: true });
    } catch (error) {
      // Another worker has seen it, too.
      if (!(error instanceof StaleWrite)) throw error;
    }
  }
}

/** Under a claim, so that of several machines one writes it. */
async function blockOne({ job, board, session, team }: Worker): Promise<boolean> {
  const next = nextBlocked(job.tasks, board);
  const claim = next && (await team.claims.claim(session.journal.plan, [next.id]));
  if (next === undefined || claim === undefined) return false;
  await whileHeld(claim, session, team, async (own) => {
    await own.journal.open(next.id);
    await block(next, board, own);
  });
  return true;
}
