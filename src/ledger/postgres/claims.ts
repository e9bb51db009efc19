import { setTimeout as delay } from 'node:timers/promises';
import type { BranchTurn, Claim, Claims, Worker } from '../../ports.ts';
import { bellOf } from './bell.ts';
import { claimFirst } from './claim-first.ts';
import type { Connection } from './connection.ts';
import type { HeldLock, HeldLocks } from './held-locks.ts';
import { holderOf, onceKey, takeOnce } from './once.ts';
import { addTasks, ensurePlan } from './rows.ts';
import type { Session } from './session.ts';
import { surveyOf } from './survey.ts';
import { enter, isAloneIn, leaveFor } from './team.ts';
import { jittered } from './timings.ts';

export interface ClaimsOptions {
  readonly project: string;
  readonly worker: Worker;
  readonly held: HeldLocks;
  /** As of PostgresOptions. */
  readonly settleMs?: number;
}

/** Three to six seconds, by its jitter. */
const SETTLE = 4000;
/** Milliseconds between two looks whether the turn has come, before jitter. */
const LOOK = 120;

/** A plan that we work on, or only look at (then nobody sees us there). */
interface Place {
  readonly no: number;
  /** Tasks that have a row. */
  readonly known: Set<string>;
  presence?: HeldLock;
}

/** Claims as locks of one session: the server drops them when it ends, however that happens. */
export function openClaims(session: Session, options: ClaimsOptions): Claims {
  const { project, held } = options;
  const places = new Map<string, Place>();
  const placeOf = async (plan: string): Promise<Place> => {
    const no =
      places.get(plan)?.no ?? (await session.repeat((on) => ensurePlan(on, project, plan)));
    const place = places.get(plan) ?? { no, known: new Set() };
    places.set(plan, place);
    return place;
  };
  const isOurs = (plan: string): boolean =>
    [...places.values()].some(({ no }) => String(no) === plan);
  return {
    join: async (plan, tasks) => join(session, await placeOf(plan), { held, tasks }),
    leave: async (plan) => {
      const place = await placeOf(plan);
      const { presence } = place;
      delete place.presence;
      if (presence !== undefined) await leaveFor(session, place.no, presence);
    },
    claim: async (plan, among) => claim(session, await placeOf(plan), { ...options, among }),
    turn: async (plan, signal) => turn(session, { no: (await placeOf(plan)).no, held, signal }),
    survey: async (plan) => session.repeat(async (on) => surveyOf(on, project, plan)),
    tell: async (plan) => {
      const { no } = await placeOf(plan);
      await session.repeat((on) => on.query(`select pg_notify('skeleton', $1)`, [String(no)]));
    },
    changed: bellOf(session, isOurs),
    once: async (plan, key) => {
      const no = onceKey((await placeOf(plan)).no, key);
      return session.repeat(async (on) =>
        (await takeOnce(on, held, no)) ? undefined : { heldBy: await holderOf(on, no) },
      );
    },
  };
}

interface Joining {
  readonly held: HeldLocks;
  readonly tasks: readonly string[];
}

async function join(
  session: Session,
  place: Place,
  { held, tasks }: Joining,
): Promise<{ readonly isAlone: boolean }> {
  await knowTasks(session, place, ['', ...tasks]);
  if (place.presence !== undefined)
    return { isAlone: await session.repeat(async (on) => isAloneIn(on, place.no)) };
  const { isAlone, presence } = await enter(session, held, place.no);
  place.presence = presence;
  return { isAlone };
}

async function knowTasks(
  session: Session,
  { no, known }: Place,
  tasks: readonly string[],
): Promise<void> {
  const unknown = tasks.filter((id) => !known.has(id));
  if (unknown.length > 0) await session.repeat(async (on) => addTasks(on, no, unknown));
  for (const id of unknown) known.add(id);
}

async function claim(
  session: Session,
  place: Place,
  {
    among,
    held,
    worker: { host, pid, run },
    settleMs = SETTLE,
  }: ClaimsOptions & { readonly among: readonly string[] },
): Promise<Claim | undefined> {
  await knowTasks(session, place, among);
  const owner = JSON.stringify({ host, pid, run });
  const isFresh = (): boolean => performance.now() - session.since() < jittered(settleMs);
  const wish = { plan: place.no, among, owner, held, isFresh };
  const claimed = await session.repeat(async (on) => claimFirst(on, wish));
  if (claimed === undefined) return undefined;
  const { lock, task, isContinued } = claimed;
  return { task, isContinued, lost: lock.lost, assertHeld: lock.assertHeld, release: lock.release };
}

interface Turning {
  readonly no: number;
  readonly held: HeldLocks;
  readonly signal: AbortSignal;
}

/** By looking again and again: a statement that waits would keep the session from everything else. */
async function turn(
  session: Session,
  { no, held, signal }: Turning,
): Promise<BranchTurn | undefined> {
  const take = async (on: Connection): Promise<HeldLock | undefined> =>
    held.take(on, { key: { space: 'plan', no } });
  while (!signal.aborted) {
    const lock = await session.repeat(take);
    if (lock !== undefined) return lock;
    await delay(jittered(LOOK), undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
