import { Refusal } from '../../ports.ts';
import type { Connection } from './connection.ts';
import { locksOn, type HeldLock, type HeldLocks } from './held-locks.ts';
import { inTransaction, type Session } from './session.ts';

const OTHERS = `select from pg_locks as l where ${locksOn('event', '$1')} and l.pid <> pg_backend_pid()`;

/** Nobody else is at work on the plan. */
export async function isAloneIn(on: Connection, no: number): Promise<boolean> {
  const [row] = await on.query(`select not exists (${OTHERS}) as alone`, [no]);
  return row?.['alone'] === true;
}

/** Who comes and who goes does so one after the other. */
const DOOR = 'select is_open from skeleton.plan where no = $1 for update';

interface Entered {
  readonly isAlone: boolean;
  readonly presence: HeldLock;
}

/** A team whose last worker died is still open, and goes on. */
export async function enter(session: Session, held: HeldLocks, no: number): Promise<Entered> {
  const entered = await session.repeat(async (on) =>
    inTransaction(on, async () => {
      await on.query(DOOR, [no]);
      const isAlone = await isAloneIn(on, no);
      await on.query(
        `update skeleton.plan set is_open = true, campaign = campaign + 1 where no = $1 and not is_open`,
        [no],
      );
      // Shared: it is never refused, and it outlives the transaction; known already where only the answer was lost.
      const key = { space: 'event', no, isShared: true } as const;
      const presence = held.find(key) ?? (await held.take(on, { key }));
      return presence && { isAlone, presence };
    }),
  );
  if (entered === undefined) throw new Error(`plan ${no} was joined twice at one time`);
  return entered;
}

/** The last one closes the door, and is gone before the next one may look. Where the server is gone, the team stays open. */
export async function leaveFor(session: Session, no: number, presence: HeldLock): Promise<void> {
  try {
    await session.repeat(async (on) =>
      inTransaction(on, async () => {
        await on.query(DOOR, [no]);
        if (await isAloneIn(on, no))
          await on.query('update skeleton.plan set is_open = false where no = $1', [no]);
        await presence.releaseOn(on);
      }),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
