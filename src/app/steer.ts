import { hostname, userInfo } from 'node:os';
import { clock, openHouse, planPathIn, type Environment, type House } from '../compose.ts';
import { aheadWork } from '../core/ahead.ts';
import { isUnderWay, replay } from '../core/machine.ts';
import { isOfTask } from '../core/history.ts';
import { longestNote, mostNotes, type Note } from '../core/note.ts';
import type { Task } from '../core/plan/plan.ts';
import { skip } from '../core/plan/skip.ts';
import { findTask, noSuchTask } from '../core/schedule.ts';
import type { Order, Steered } from '../core/steered.ts';
import { byteLength, visible } from '../core/text.ts';
import { Refusal, type Ledger, type Lock } from '../ports.ts';
import { readPlanFile } from '../run/prepare.ts';
import { isPlanHeld } from './plan-holder.ts';
import { refuseSharedSkip } from './refuse-shared.ts';
import { slugOf } from './whole-ledger.ts';

export interface SteerOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
}

/**
 * Steers a run from another terminal (docs/steering.md): writes into the ledger's inbox, and takes no lock that a run holds. Throws
 * Refusal(2) for an unknown task, one that is done, and a note that is empty or too long; Refusal(3) where the ledger cannot be used.
 */
export async function steer(order: Order, options: SteerOptions): Promise<Steered> {
  const house = await openHouse(options.cwd, options.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  if (order.kind === 'skip') refuseSharedSkip(house, planPath);
  const wanted = 'task' in order ? await readTask(order.task, house, planPath) : undefined;
  if (wanted === undefined && !(await isKnown(house, planPath)))
    await readPlanFile(await house.looker(), planPath);
  const ledger = await house.ledger();
  try {
    const slug = await slugOf(house, planPath, await ledger.plans());
    await ledger.addPlan(slug, planPath);
    const runs = await isPlanHeld(house, planPath);
    const place: RunPlace = { house, ledger, slug, planPath, runs };
    return { plan: planPath, kind: order.kind, runs, ...(await carry(order, wanted, place)) };
  } finally {
    await ledger.close();
  }
}

async function readTask(name: string, house: House, planPath: string): Promise<Task> {
  const { plan } = await readPlanFile(await house.looker(), planPath);
  const task = findTask(plan, name);
  if (task === undefined) throw new Refusal(2, noSuchTask(plan, name));
  return task;
}

/** A pause is asked for, and lifted, whatever lies at the plan's path: it may be moved away, or be in the middle of an edit. */
async function isKnown(house: House, planPath: string): Promise<boolean> {
  if (!house.hasLedger()) return false;
  const ledger = await house.ledger();
  try {
    return [...(await ledger.plans()).values()].includes(planPath);
  } finally {
    await ledger.close();
  }
}

interface Place {
  readonly house: House;
  readonly ledger: Ledger;
  readonly slug: string;
  readonly planPath: string;
}

interface RunPlace extends Place {
  readonly runs: boolean;
}

type Done = Pick<Steered, 'how' | 'task' | 'isUnderWay' | 'since' | 'by'>;

async function carry(order: Order, task: Task | undefined, place: RunPlace): Promise<Done> {
  const { runs } = place;
  if (order.kind === 'pause') return pause(place);
  if (order.kind === 'resume') return resume(place);
  if (task === undefined) throw new Error(`no task to ${order.kind}`);
  const goes = await isUnderWayIn(place, task, runs);
  // While gates judge, the tick that lies in the work tree is not earned yet.
  if (task.state !== 'pending' && !goes)
    throw new Refusal(2, `'${task.id}' is ${task.state} in ${place.planPath} already`);
  const of = { task: task.id, isUnderWay: goes };
  if (order.kind === 'tell') {
    const text = cleared(order.text, place.house);
    await refuseNoRoom(task, text, place);
    await post({ kind: 'tell', task: task.id, text }, place);
    return { how: 'noted', ...of };
  }
  if (!goes && (await markSkipped(task, place))) return { how: 'marked', ...of };
  await post({ kind: 'skip', task: task.id, text: '' }, place);
  return { how: 'noted', ...of };
}

async function pause(place: Place): Promise<Done> {
  const known = (await place.ledger.inbox(place.slug)).find(({ kind }) => kind === 'pause');
  const { at, by } = known ?? (await post({ kind: 'pause', task: '', text: '' }, place));
  return { how: known === undefined ? 'noted' : 'already', since: at, by };
}

async function resume({ ledger, slug }: Place): Promise<Done> {
  const pauses = (await ledger.inbox(slug)).filter(({ kind }) => kind === 'pause');
  const ids = pauses.map(({ id }) => id);
  await ledger.take(slug, ids);
  return { how: pauses.length === 0 ? 'already' : 'noted' };
}

async function post(
  note: Pick<Note, 'kind' | 'task' | 'text'>,
  { ledger, slug }: Place,
): Promise<Note> {
  const posted = { ...note, id: clock.id(), at: clock.now(), by: whoAmI() };
  await ledger.post(slug, posted);
  return posted;
}

/** A container's user need not have a name. */
function whoAmI(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `somebody@${hostname()}`;
  }
}

function cleared(text: string, { mask }: House): string {
  const shown = mask.text(visible(text)).trim();
  if (shown === '') throw new Refusal(2, 'there is nothing to tell: the note is empty');
  const size = byteLength(shown);
  if (size > longestNote)
    throw new Refusal(
      2,
      `the note has ${size} bytes, and at most ${longestNote} are told: write it to a file, and tell its path`,
    );
  return shown;
}

/** With a run, one that has passed ahead, and waits for its turn, is under way too. */
async function isUnderWayIn({ ledger, slug }: Place, task: Task, runs: boolean): Promise<boolean> {
  const history = await ledger.taskHistory(slug, task.id);
  const events = history.filter(isOfTask).map(({ event }) => event);
  const state = replay(events);
  const judge = state.phase === 'pending' ? state.judge : undefined;
  return isUnderWay(state) || (runs && aheadWork(events, judge) !== undefined);
}

/** All that waits is told at once: what would be left out of that prompt is not taken. */
async function refuseNoRoom({ id }: Task, text: string, { ledger, slug }: Place): Promise<void> {
  const waiting = (await ledger.inbox(slug)).filter(
    ({ kind, task }) => kind === 'tell' && task === id,
  );
  const size = waiting.reduce((sum, note) => sum + byteLength(note.text), 0);
  if (size + byteLength(text) > mostNotes)
    throw new Refusal(
      2,
      `the notes that wait for '${id}' have ${size} bytes already, and one prompt holds ${mostNotes}: tell less`,
    );
}

/** In the plan's file, at once: where no run goes in the work tree or on the plan, and none has left anything there. */
async function markSkipped({ id }: Task, place: Place): Promise<boolean> {
  const { house, ledger, slug, planPath } = place;
  const workspace = await house.workspace();
  const door = await house.locks();
  const locks: Lock[] = [];
  try {
    for (const name of [`worktree-${workspace.id}`, `plan-${slug}`]) {
      const lock = door.acquire(name, 'skeleton skip');
      if ('heldBy' in lock) return false;
      locks.push(lock);
    }
    const isLeft = (await ledger.underWay(workspace.id)).length > 0;
    if (isLeft || (await house.keeper()).whereAside() !== undefined) return false;
    const { bytes } = await readPlanFile(workspace, planPath);
    await workspace.writeWorkFile(planPath, skip(bytes, planPath, id));
    return true;
  } finally {
    for (const lock of locks) lock.release();
  }
}
