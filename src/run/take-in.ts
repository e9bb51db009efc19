import type { Note } from '../core/note.ts';
import type { Plan } from '../core/plan/plan.ts';
import { planChange } from '../core/plan-change.ts';
import { Interrupted } from '../ports.ts';
import { isDone, openBoard, type Board } from './board.ts';
import type { PlanEdit } from './plan-watch.ts';
import type { RunJob } from './run-job.ts';
import type { Session } from './session.ts';
import { isPause } from './steering.ts';

/** Where a run is: what has moved since it began. */
export interface Standpoint {
  job: RunJob;
  board: Board;
  session: Session;
  /** The plan's bytes. */
  plan: Uint8Array;
  /** The newest checkpoint or commit of the run, or where it began; '' where that is not known. */
  commit: string;
  /** The plan was edited so that the run cannot go on. */
  isUnfit: boolean;
}

/**
 * Takes in what people have changed since the last task: the plan, where it was edited, and what they want skipped. `isBegun`:
 * tasks that are worked on ahead of their turn, which decides of them. Gives whether the run is paused.
 */
export async function takeIn(at: Standpoint, isBegun: (task: string) => boolean): Promise<boolean> {
  const { steering, signal } = at.session;
  if (steering === undefined || signal.aborted) return false;
  const notes = await steering.notes();
  try {
    await rereadPlan(at);
    const asked = notes.filter(({ task }) => !isOpen(at, task, isBegun));
    for (const note of asked) if (note.kind === 'tell') await answerTell(note, at);
    const skips = asked.filter(({ kind }) => kind === 'skip');
    if (skips.length > 0 && !at.isUnfit) await skip(skips, at);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  const isPaused = notes.some(isPause);
  steering.heard({ bytes: at.plan, read: at.session.plan }, isPaused);
  return isPaused;
}

function isOpen({ board }: Standpoint, task: string, isBegun: (task: string) => boolean): boolean {
  return !board.outcomes.has(task) && isBegun(task);
}

/** One that came while the last attempt went, which passed. */
async function answerTell(note: Note, at: Standpoint): Promise<void> {
  if (!isDone(at.board.outcomes.get(note.task))) return;
  await answer(note, 'was not told what came last: it has passed', at);
}

async function answer(note: Note, what: string, { session }: Standpoint): Promise<void> {
  await session.journal.append('', { type: 'notice', message: `${note.task} ${what}` });
  await session.steering?.done(note);
}

async function skip(notes: readonly Note[], at: Standpoint): Promise<void> {
  const due: Note[] = [];
  for (const note of notes) {
    const task = at.session.plan.tasks.find(({ id }) => id === note.task);
    const isOver = isDone(at.board.outcomes.get(note.task)) || task?.state === 'done';
    if (task === undefined) await answer(note, 'is not skipped: the plan has no such task', at);
    else if (isOver) await answer(note, 'is not skipped: it is done', at);
    else due.push(note);
  }
  if (due.length === 0) return;
  await at.session.steering?.watch.markSkipped(due.map(({ task }) => task));
  const ids = new Set(due.map(({ task }) => task));
  await rereadPlan(at, ids);
  if (!at.isUnfit) for (const note of due) await settleSkip(note, at);
}

/** What waits for a task that had failed goes on. */
async function settleSkip(note: Note, { board, session }: Standpoint): Promise<void> {
  const { outcomes } = board;
  if (outcomes.get(note.task) === 'failed')
    for (const [id, outcome] of outcomes) if (outcome === 'blocked') outcomes.delete(id);
  if (outcomes.get(note.task) !== 'skipped') {
    const why = `by ${note.by}`;
    await session.journal.append(note.task, { type: 'task.finished', state: 'skipped', why });
  }
  outcomes.set(note.task, 'skipped');
  await session.steering?.done(note);
}

/** `skipped`: tasks that the run itself has marked, which is told of each. */
async function rereadPlan(at: Standpoint, skipped?: ReadonlySet<string>): Promise<void> {
  const { steering } = at.session;
  if (steering === undefined || (await steering.watch.isStill(at.plan))) return;
  const edit = await steering.watch.read();
  if (edit.kind === 'unfit') return leaveUnfit(edit.problems, at);
  const opened = openedAgain(edit.plan, at);
  if (opened.length > 0) return leaveUnfit(opened, at);
  const commit = await commitPlan(at);
  if (commit === undefined) {
    const moved = `${at.session.plan.path} was edited, and the branch was moved: commit it`;
    return leaveUnfit([moved], at);
  }
  await goOnWith({ ...edit, skipped }, commit, at);
}

/** What this run is done with it does not begin anew. */
function openedAgain({ path, tasks }: Plan, { board }: Standpoint): readonly string[] {
  return tasks
    .filter(({ id, state }) => state === 'pending' && isDone(board.outcomes.get(id)))
    .map(
      ({ id, line }) =>
        `${path}:${line}: '${id}' is open again, but has passed in this run: the next skeleton run begins it anew`,
    );
}

async function leaveUnfit(problems: readonly string[], at: Standpoint): Promise<void> {
  at.isUnfit = true;
  for (const message of problems) await at.session.journal.append('', { type: 'notice', message });
}

/** The commit that holds the plan as it lies there now, made where there is none; undefined where the branch has gone elsewhere. */
async function commitPlan({ session, commit }: Standpoint): Promise<string | undefined> {
  const { workspace } = session.ports;
  const { plan, run } = session.journal;
  const head = (await workspace.resolve('HEAD')) ?? '';
  const tree = await workspace.treeWith([session.plan.path]);
  if (tree === (await workspace.treeOf(head))) return head;
  if (commit !== '' && head !== commit) return undefined;
  return workspace.commitTree(tree, {
    subject: `skeleton: plan ${plan} changed`,
    body: '',
    trailers: [['Skeleton-Run', run]],
  });
}

type Fit = Extract<PlanEdit, { kind: 'fit' }> & {
  readonly skipped: ReadonlySet<string> | undefined;
};

async function goOnWith(
  { plan, bytes, tasks, skipped }: Fit,
  commit: string,
  at: Standpoint,
): Promise<void> {
  const { outcomes } = at.board;
  const before = at.session.plan.tasks.map((task) =>
    skipped?.has(task.id) === true ? (plan.tasks.find(({ id }) => id === task.id) ?? task) : task,
  );
  const change = planChange(before, plan.tasks);
  const { limit } = at.session.settings;
  const begun = tasks.filter(({ id }) => outcomes.has(id));
  const free = tasks.filter(({ id }) => !outcomes.has(id)).slice(0, limit - outcomes.size);
  const chosen = new Set([...begun, ...free]);
  at.job = { ...at.job, tasks: tasks.filter((task) => chosen.has(task)) };
  // A person may have committed it.
  at.session = { ...at.session, plan, followsBranch: true };
  at.board = openBoard(at.job, at.session, outcomes);
  at.plan = bytes;
  at.commit = commit;
  if (change === undefined) return;
  await at.session.journal.append('', { type: 'plan.changed', commit, ...change });
}
