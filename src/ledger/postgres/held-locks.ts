import { ClaimLost, Refusal } from '../../ports.ts';
import type { Backend, Connection } from './connection.ts';
import { ConnectionLost } from './line.ts';
import type { Session } from './session.ts';

/**
 * What an advisory lock of the server stands for: a task's claim, the turn on a plan's branch, presence at a plan, a `--once` key. The
 * first half of its key is a table's number, so that nobody else's locks, and no other installation's, are the same.
 */
export interface LockKey {
  readonly space: 'task' | 'plan' | 'event' | 'verdict';
  readonly no: number;
  /** Of several at the same time. */
  readonly isShared?: true;
}

export interface LockWish {
  readonly key: LockKey;
  /** Whether what it stands for is still ours, after a new connection has taken it again. */
  readonly confirm?: (on: Connection) => Promise<boolean>;
  /** Before it is let go. */
  readonly letGo?: (on: Connection) => Promise<unknown>;
}

export interface HeldLock {
  /** Aborts with ClaimLost, or with the Refusal of a server that is gone for good. */
  readonly lost: AbortSignal;
  /** Asks the server. Throws why it is lost. */
  readonly assertHeld: () => Promise<void>;
  /** Never throws for a server that is gone (that one has let go) or takes no rows. Safe to repeat. */
  readonly release: () => Promise<void>;
  /** The same in the midst of a piece of work. */
  releaseOn(on: Connection): Promise<void>;
}

/** All locks of a session. One that was lost stays here until its owner lets go: then he knows. */
export interface HeldLocks {
  /** Undefined where somebody else has it, or we ourselves: the server would give it twice. */
  take(on: Connection, wish: LockWish): Promise<HeldLock | undefined>;
  /** What the session has just been given. */
  keep(wish: LockWish): HeldLock;
  find(key: LockKey): HeldLock | undefined;
  /** Numbers of those held. */
  numbers(space: LockKey['space']): readonly number[];
}

interface Kept extends LockWish {
  readonly loss: AbortController;
}

export function heldLocks(session: Session): HeldLocks {
  const all = new Map<string, Kept>();
  session.watch({
    restored: async (on, ghosts) => {
      await endGhosts(on, ghosts);
      for (const [name, kept] of all)
        if (!kept.loss.signal.aborted) await takeAgain(on, kept, () => all.get(name) === kept);
    },
    ended: (reason) => all.forEach(({ loss }) => loss.abort(reason)),
  });
  const handle = (kept: Kept): HeldLock => {
    const name = nameOf(kept.key);
    return lockOf(session, kept, () => all.get(name) === kept && all.delete(name));
  };
  const keep = (wish: LockWish): HeldLock => {
    const kept: Kept = { ...wish, loss: new AbortController() };
    all.set(nameOf(wish.key), kept);
    return handle(kept);
  };
  return {
    keep,
    take: async (on, wish) => {
      if (all.has(nameOf(wish.key)) || !(await tryLock(on, wish.key))) return undefined;
      return keep(wish);
    },
    find: (key) => {
      const kept = all.get(nameOf(key));
      return kept && handle(kept);
    },
    numbers: (space) =>
      [...all.values()].filter(({ key }) => key.space === space).map(({ key }) => key.no),
  };
}

function nameOf({ space, no }: LockKey): string {
  return `${space} ${no}`;
}

function lockOf(session: Session, kept: Kept, forget: () => boolean): HeldLock {
  const { key, loss } = kept;
  return {
    lost: loss.signal,
    assertHeld: async () => {
      const isHeld = await session.repeat(async (on) => {
        loss.signal.throwIfAborted();
        const [row] = await on.query(`select exists (${ownLock(key)}) as held`, [key.no]);
        return row?.['held'] === true;
      });
      if (!isHeld) loss.abort(new ClaimLost('the server has dropped its lock'));
      loss.signal.throwIfAborted();
    },
    release: async () => {
      // While a connection is made again, who makes it sees that this one is no longer wanted.
      if (!forget() || loss.signal.aborted || !session.isUp()) return;
      await session.run(async (on) => letGo(on, kept)).catch(ignoreLoss);
    },
    releaseOn: async (on) => {
      if (forget() && !loss.signal.aborted) await letGo(on, kept);
    },
  };
}

/** The end of a connection is the end of its locks. Who cannot even write that he lets go has been told of it before. */
function ignoreLoss(error: unknown): void {
  if (!(error instanceof ConnectionLost) && !(error instanceof Refusal)) throw error;
}

async function letGo(on: Connection, { key, letGo: before }: LockWish): Promise<void> {
  try {
    await before?.(on);
  } finally {
    await unlock(on, key);
  }
}

async function takeAgain(on: Connection, kept: Kept, isWanted: () => boolean): Promise<void> {
  const { key, loss, confirm } = kept;
  if (!isWanted()) return;
  if (!(await tryLock(on, key))) {
    loss.abort(
      new ClaimLost('the connection to the ledger was lost, and another worker has it now'),
    );
    return;
  }
  const isOurs = (await confirm?.(on)) ?? true;
  if (!isOurs)
    loss.abort(
      new ClaimLost('the connection to the ledger was lost, and another worker had it meanwhile'),
    );
  if (!isOurs || !isWanted()) await unlock(on, key);
}

/** Our own connections from before: the server may keep what they hold for half a minute where it has not heard of their end. */
async function endGhosts(on: Connection, ghosts: readonly Backend[]): Promise<void> {
  for (const { pid, start } of ghosts) {
    const theirs = 'from pg_stat_activity where pid = $1 and backend_start = $2::timestamptz';
    const end = on.query(`select pg_terminate_backend(pid, 1000) ${theirs}`, [pid, start]);
    // Where we may not do that, their end comes by itself.
    await end.catch((error: unknown) => {
      if (error instanceof ConnectionLost) throw error;
    });
  }
}

const SHARED = { true: '_shared', false: '' } as const;

/** The number of a table as the first half of a key. */
export function spaceOf(space: LockKey['space']): string {
  return `'skeleton.${space}'::regclass::oid::int4`;
}

async function tryLock(on: Connection, { space, no, isShared }: LockKey): Promise<boolean> {
  const kind = SHARED[`${isShared ?? false}`];
  const sql = `select pg_try_advisory_lock${kind}(${spaceOf(space)}, $1::int4) as got`;
  const [row] = await on.query(sql, [no]);
  return row?.['got'] === true;
}

async function unlock(on: Connection, { space, no, isShared }: LockKey): Promise<void> {
  const kind = SHARED[`${isShared ?? false}`];
  await on.query(`select pg_advisory_unlock${kind}(${spaceOf(space)}, $1::int4)`, [no]);
}

/** Rows of pg_locks that are held in a space, as `l`; `no`: SQL of the number. */
export function locksOn(space: LockKey['space'], no: string): string {
  return `l.locktype = 'advisory' and l.granted and l.objsubid = 2
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = 'skeleton.${space}'::regclass::oid and l.objid = (${no})::int4::oid`;
}

function ownLock({ space }: LockKey): string {
  return `select from pg_locks as l where ${locksOn(space, '$1')} and l.pid = pg_backend_pid()`;
}
