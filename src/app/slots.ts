import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary, openHouse, type House } from '../compose.ts';
import { slotBranch, slotName } from '../core/refs.ts';
import type { ShareConfig } from '../core/config/config.ts';
import { Refusal } from '../ports.ts';
import type { Slot, Slots } from '../run/ahead.ts';
import type { Session } from '../run/session.ts';
import { openSetup } from '../run/set-up.ts';
import { cleanGround } from './clean-ground.ts';
import { tell } from './open-base.ts';
import { slotLock, slotTemporary } from './recover-slots.ts';
import { share } from './share.ts';
import type { RunBase } from './run-base.ts';
import type { Work } from './read-work.ts';

/** The slots of a run, and their end: folders that were made for it go. */
export interface OpenSlots extends Slots {
  readonly close: () => Promise<void>;
}

interface OpenSlot extends Slot {
  readonly close: () => Promise<void>;
}

/** Linked worktrees beside the repository, one for each task that is worked on ahead of its turn. */
export function openSlots(base: RunBase, work: Work, session: Session): OpenSlots {
  const open = new Map<number, OpenSlot>();
  const { jobs } = work.settings;
  return {
    jobs,
    assertReady: () => base.keeper.assertSlots(base.slug, jobs - 1),
    open: async (nth, stop) => {
      const last = open.get(nth);
      if (last?.isGone() === false) return last;
      open.delete(nth);
      await last?.close();
      const slot = await begun(openSlot({ base, work, session, stop }, nth));
      open.set(nth, slot);
      return slot;
    },
    close: async () => {
      for (const slot of open.values()) await slot.close();
    },
  };
}

interface SlotJob {
  readonly base: RunBase;
  readonly work: Work;
  readonly session: Session;
  readonly stop: AbortSignal;
}

/** `more`: how often it is made again where it is taken away meanwhile. */
async function openSlot(job: SlotJob, nth: number, more = 3): Promise<OpenSlot> {
  const { slug, keeper } = job.base;
  const branch = slotBranch(slug, nth);
  const { folder } = await keeper.openBeside(slotName(slug, nth), branch);
  const place: Place = { folder, branch, own: makeTemporary(slotTemporary), id: '', endings: [] };
  const close = (): Promise<void> => closeSlot(job.base, place);
  const isGone = (): boolean => isGoneAt(folder);
  try {
    return { prepare: await furnish(job, nth, place), isGone, close };
  } catch (error) {
    const isAgain = isGone() && more > 0;
    await close();
    if (!isAgain) throw error;
  }
  return openSlot(job, nth, more - 1);
}

function isGoneAt(folder: string): boolean {
  return !existsSync(join(folder, '.git'));
}

interface Place {
  readonly folder: string;
  readonly branch: string;
  /** TMPDIR of what works there. */
  readonly own: string;
  /** Of the work tree, once that is known. */
  id: string;
  /** What has to be done before the folder goes. */
  readonly endings: (() => void | Promise<void>)[];
}

async function furnish(job: SlotJob, nth: number, place: Place): Promise<Slot['prepare']> {
  const { base, work } = job;
  const house = await openHouse(place.folder, { ...base.io.env, TMPDIR: place.own });
  place.endings.unshift(() => house.close());
  const lock = await slotLock(house);
  place.endings.unshift(() => {
    lock.release();
  });
  place.id = (await house.workspace()).id;
  const { config } = work.reading;
  await shareWith(house, config.share ?? [], base);
  const ground = await cleanGround(house, config);
  place.endings.unshift(() => ground.clean?.room.close());
  const session = await sessionIn(house, work, job);
  const setUp = openSetup({
    ...{ config, gatesOf: house.gates, name: `+slot-${nth}` },
    checkpoints: await house.checkpoints(),
  });
  const prepare: Slot['prepare'] = async (commit, seat) => {
    await (await house.keeper()).moveBranch(base.slug, commit);
    // One that knows nothing of where the branch was before.
    const workspace = await house.workspace();
    const isLost = (): boolean => isGoneAt(place.folder);
    const ports = { ...session.ports, workspace };
    const ready = { ...session, ...ground, seat, ports, isLost };
    await setUp(commit, ready);
    return ready;
  };
  return (commit, seat) => begun(prepare(commit, seat));
}

/** What cannot be ended, or removed, keeps nothing else from it. */
async function closeSlot(
  base: RunBase,
  { folder, branch, own, id, endings }: Place,
): Promise<void> {
  const { keeper, ledger } = base;
  const isGone = isGoneAt(folder);
  for (const end of endings) await trying(end, base);
  await trying(() => rmSync(own, { recursive: true, force: true, maxRetries: 3 }), base);
  // A stop may have left an attempt under way: the next run finishes it there.
  if (!isGone && (await ledger.underWay(id)).length > 0) return;
  // What an agent put where the slot was is of the slot.
  if (isGone) await trying(() => rmSync(folder, { recursive: true, force: true }), base);
  await trying(async () => {
    const left = await keeper.removeSlot({ folder, branch, id });
    if (left !== undefined) await tell(base, left);
  }, base);
}

async function trying(end: () => void | Promise<void>, base: RunBase): Promise<void> {
  try {
    await end();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await tell(base, `what was made for --jobs could not all be removed: ${why}`);
  }
}

async function shareWith(
  { facts, workspace }: House,
  things: readonly ShareConfig[],
  base: RunBase,
): Promise<void> {
  const slot = await workspace();
  const isSeen = async (path: string): Promise<boolean> =>
    (await slot.dirt()).some((one) => one.path === path);
  const places = { from: base.house.facts.top, to: facts.top, isSeen };
  for (const notice of await share(things, places)) await tell(base, notice);
}

async function sessionIn(house: House, work: Work, { session, stop }: SlotJob): Promise<Session> {
  const { config } = work.reading;
  const agents = await house.agents(config);
  const gates = await house.gates(config);
  const processes = await house.processes();
  const { clean: _, ...shared } = session;
  return {
    ...shared,
    ports: { ...session.ports, gates, agents, processes },
    roster: session.roster.beside(agents),
    isAhead: true,
    signal: AbortSignal.any([session.signal, stop]),
    isInterrupted: () => session.isInterrupted() || stop.aborted,
  };
}

/** The run has begun: what is in the way now ends it with 4. */
async function begun<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(4, error.message, error.mend);
  }
}
