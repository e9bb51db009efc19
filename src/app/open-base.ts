import { clock, openHouse, type Environment, type House } from '../compose.ts';
import type { Recorded } from '../core/events.ts';
import { replay, type State } from '../core/machine.ts';
import { maskTexts } from '../core/mask-texts.ts';
import { attemptRef, taskSlug } from '../core/refs.ts';
import { usedUpSinceEnd } from '../core/used-up.ts';
import { Interrupted, Refusal, type Lock } from '../ports.ts';
import { openJournal, type Journal, type JournalParts } from '../run/journal.ts';
import { recover, writeOff } from '../run/recover.ts';
import type { Ports } from '../run/session.ts';
import { person } from '../run/take-task.ts';
import { held } from './held.ts';
import { rebuiltNotice, reconcile } from './reconcile.ts';
import { recoverSlots } from './recover-slots.ts';
import type { OpenBase } from './run-base.ts';
import { openWholeLedger, type Lost } from './whole-ledger.ts';

export interface Opening {
  readonly house: House;
  readonly env: Environment;
  readonly planPath: string;
  /** PLAN, where it is not the plan's path that says it. */
  readonly slug?: string;
  readonly onEvent: (event: Recorded) => void;
  /** Gets, before a task is recovered, what dead runs wrote about it. */
  readonly onEarlier?: ((event: Recorded) => void) | undefined;
  /** Refuses where what a dead run left would be rolled back first: what lies in the tree is what is asked about. */
  readonly asItLies?: boolean;
}

/**
 * Does a piece of work that changes this work tree: with its locks held, and after what a dead run or command left was
 * finished, undone or put back. Throws Refusal(3) where another run is going on, and Interrupted, which says whether anything
 * was done before.
 */
export async function withBase<T>(opening: Opening, work: BaseWork<T>): Promise<T> {
  let told = 0;
  const onEvent: Opening['onEvent'] = (event) => {
    told += 1;
    opening.onEvent(event);
  };
  try {
    return await inLockedBase({ ...opening, onEvent }, work);
  } catch (error) {
    if (told === 0 || !(error instanceof Interrupted)) throw error;
    throw new Interrupted(error.message, true);
  }
}

type BaseWork<T> = (base: OpenBase, usedUp: ReadonlySet<string>) => Promise<T>;

async function inLockedBase<T>(opening: Opening, work: BaseWork<T>): Promise<T> {
  const { house, planPath } = opening;
  let isPutBack = false;
  const onEvent: Opening['onEvent'] = (event) => {
    isPutBack ||= event.event.type === 'rollback.done';
    opening.onEvent(event);
  };
  const odd = await house.setOddAside();
  const workspace = await house.workspace();
  const { ledger, slug, lost } = await openWholeLedger(house, planPath, opening.slug);
  const locks: Lock[] = [];
  const endings: (() => void)[] = [];
  try {
    const what = `skeleton in ${house.facts.top}`;
    const door = await house.locks();
    for (const name of [`worktree-${workspace.id}`, `plan-${slug}`])
      locks.push(held(door.acquire(name, what)));
    const keeper = await house.keeper();
    const run = clock.id();
    const journalOf = journals({ ledger, locks, run, mask: house.mask, onEvent });
    const base = { house, workspace, keeper, ledger, run, slug, planPath, journalOf, onEvent };
    await tellLost(base, lost);
    const say = (message: string): Promise<void> => tell(base, message);
    if (odd !== undefined) await say(odd);
    await keeper.clearLocks(say);
    endings.push(await keeper.holdGc(say));
    if (opening.asItLies === true) await refuseDead(base);
    const usedUp = await usedUpBefore(base, opening);
    if (await finishBefore(base)) isPutBack = true;
    if (!isPutBack) return await work(base, usedUp);
    return await openedAnew(base, opening.env, (anew) => work(anew, usedUp));
  } finally {
    await house.close();
    for (const end of endings) end();
    for (const lock of locks) lock.release();
    await ledger.close();
  }
}

/** HEAD may be at another branch again than the one to which a dead run's agent, or a killed command, had switched: that was read so far. */
export async function openedAnew<T>(
  base: OpenBase,
  env: Environment,
  work: (base: OpenBase) => Promise<T>,
): Promise<T> {
  const house = await openHouse(base.house.facts.top, env);
  try {
    const [workspace, keeper] = [await house.workspace(), await house.keeper()];
    return await work({ ...base, house, workspace, keeper });
  } finally {
    await house.close();
  }
}

/** Says once what the ledger had lost; a run of another plan may have died here too. */
async function tellLost(base: OpenBase, lost: Lost): Promise<void> {
  const { house, slug, planPath } = base;
  const told = await reconcile(base, { slug, path: planPath });
  const dead = await (await house.traces()).openHere();
  if (dead !== undefined && dead.plan !== slug)
    await reconcile(base, { slug: dead.plan, path: dead.planPath });
  const notice = rebuiltNotice(lost, told);
  if (notice !== undefined) await tell(base, notice);
}

/** One pen for each plan: a second one would not know what the first has written. */
export function journals(parts: Omit<JournalParts, 'plan'>): OpenBase['journalOf'] {
  const open = new Map<string, Journal>();
  return (plan) => {
    const journal = open.get(plan) ?? openJournal({ ...parts, plan });
    open.set(plan, journal);
    return journal;
  };
}

/** Throws Refusal(3), with nothing touched, where the dead run's work and the person's are one heap. */
async function refuseDead(base: OpenBase): Promise<void> {
  const { workspace, ledger, keeper, journalOf } = base;
  const [dead] = await ledger.underWay(workspace.id);
  const state = dead && replay(await journalOf(dead.plan).open(dead.task));
  if (dead !== undefined && state !== undefined && !(await leavesTree(state, base))) {
    const { number } = state;
    const ref = attemptRef(dead.plan, taskSlug(dead.task), number);
    throw new Refusal(
      3,
      `a run died here during ${dead.task}#${number}, and nothing was touched: what lies in the work tree will be kept at ${ref} when that is recovered`,
      'skeleton run',
    );
  }
  const aside = keeper.whereAside();
  if (aside === undefined) return;
  const words = `a run died here, and nothing was touched: your uncommitted work is set aside at ${aside}, and comes back when that is recovered`;
  throw new Refusal(3, words, 'skeleton run');
}

/** Of a `take`, recovery leaves the work tree to the person; of one that passed, refs at most have to follow. */
async function leavesTree(state: State, { house }: OpenBase): Promise<boolean> {
  if (state.phase === 'checkpointing' && state.agent === person.name) return true;
  const open = await (await house.traces()).openHere();
  return open?.isTaken === true && open.number === state.number;
}

/** Ends and undoes what a dead run left here; gives the tasks of this plan to which dead runs left no attempt. */
async function usedUpBefore(
  base: OpenBase,
  { env, onEarlier }: Opening,
): Promise<ReadonlySet<string>> {
  const { workspace, ledger, house } = base;
  if (onEarlier !== undefined)
    for (const { plan, task } of await ledger.underWay(workspace.id))
      (await ledger.taskHistory(plan, task)).forEach(onEarlier);
  const ports = { workspace, ledger, processes: await house.processes() };
  await recover({ ports, journalOf: base.journalOf });
  await recoverSlots(base, { env, say: (message) => tell(base, message) });
  await writeOffGone(base, ports);
  return usedUpSinceEnd(await ledger.sinceEnd(base.slug));
}

/** Only the work tree that an attempt was under way in can undo it. Throws Refusal(3) where that one still stands. */
async function writeOffGone(base: OpenBase, ports: Pick<Ports, 'processes'>): Promise<void> {
  const { ledger, keeper, workspace, slug } = base;
  const elsewhere = await ledger.underWayElsewhere(slug, workspace.id);
  for (const { task, worktree } of elsewhere) {
    const folder = await keeper.folderOf(worktree);
    if (folder !== undefined) throw underWayIn(folder, task);
  }
  for (const { task } of elsewhere) await writeOff(task, base.journalOf(slug), ports);
}

export function underWayIn(folder: string, task: string): Refusal {
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  return new Refusal(
    3,
    `a run that died was working on ${task} in another work tree, and has to be cleared up there: ${folder}`,
    `cd ${quoted} && skeleton run`,
  );
}

/** A branch that a killed command had on its way, and work that a killed run had set aside. Whether there was such a branch. */
export async function finishBefore(base: OpenBase): Promise<boolean> {
  const finished = await base.keeper.finish();
  for (const message of finished) await tell(base, message);
  await giveBack(base);
  return finished.length > 0;
}

/** Puts back what is set aside, and says so; nothing where there is nothing. */
export async function giveBack(base: OpenBase): Promise<void> {
  const back = await base.keeper.putBack();
  if (back === undefined) return;
  await tell(
    base,
    back.kind === 'done'
      ? 'your uncommitted work is back where it was'
      : `your uncommitted work is kept at ${back.ref}, because the same files changed meanwhile (${named(back.paths)}); to bring it back: git stash apply ${back.ref}`,
  );
  if (back.left.length > 0)
    await tell(base, `ignored files of yours were in the way, and are now at ${named(back.left)}`);
}

/** Before its first run the ledger has no plan of that name, and a run that is refused must give it none: then it is only shown. */
export async function tell(base: OpenBase, message: string): Promise<void> {
  const { ledger, house, run, slug, onEvent } = base;
  const notice = { type: 'notice', message } as const;
  if ((await ledger.plans()).has(slug)) return base.journalOf(slug).append('', notice);
  const event = maskTexts(notice, house.mask);
  onEvent({ run, plan: slug, task: '', seq: 0, at: clock.now(), event });
}

const MOST_NAMED = 5;

export function named(paths: readonly string[]): string {
  const more = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : '';
  return paths.slice(0, MOST_NAMED).join(', ') + more;
}
