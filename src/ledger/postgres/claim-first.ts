import type { Connection } from './connection.ts';
import { spaceOf, type HeldLock, type HeldLocks } from './held-locks.ts';

export interface ClaimWish {
  readonly plan: number;
  readonly among: readonly string[];
  /** Who we are, as JSON. */
  readonly owner: string;
  readonly held: HeldLocks;
  /** The connection is new: whoever had begun a task may be about to connect again, too. */
  readonly isFresh: () => boolean;
}

interface Claimed {
  readonly task: string;
  readonly isContinued: boolean;
  readonly lock: HeldLock;
}

/** Most claims find one among the first few; ten thousand names are not sent each time. */
const SLICES = [64, 1024, Infinity] as const;

export async function claimFirst(on: Connection, wish: ClaimWish): Promise<Claimed | undefined> {
  let from = 0;
  for (const size of SLICES) {
    const among = wish.among.slice(from, from + size);
    if (among.length === 0) return undefined;
    const claimed = await claimAmong(on, { ...wish, among });
    if (claimed !== undefined) return claimed;
    from += size;
  }
  return undefined;
}

/** A task that somebody has ended between our look and our lock is let go, and the next one tried. */
async function claimAmong(on: Connection, wish: ClaimWish): Promise<Claimed | undefined> {
  const passed = new Set<number>();
  for (;;) {
    const found = await lockFirst(on, wish, passed);
    if (found === undefined) return undefined;
    const claimed = await settle(on, wish, found);
    if (claimed !== undefined) return claimed;
    passed.add(found.no);
  }
}

/** Neither passed, nor ended without a checkpoint, in this team; what passed in an earlier one and is to do again was taken back. */
const TO_DO = `not (t.campaign = p.campaign
  and (t.phase = 'passed' or coalesce(t.outcome in ('failed', 'blocked'), false)))`;

/** MATERIALIZED, and sorted inside: a sort outside would lock every row. */
const LOCK_FIRST = `
  with wanted as materialized (
    select t.no, t.id
    from unnest($2::text[]) with ordinality as among (id, place)
    join skeleton.task as t on t.plan = $1 and t.id = among.id
    join skeleton.plan as p on p.no = t.plan
    where ${TO_DO} and t.no <> all ($3::int4[]) and (t.phase in ('open', 'passed') or not $4)
    order by among.place
  )
  select no, id from wanted where pg_try_advisory_lock(${spaceOf('task')}, no) limit 1`;

interface Found {
  readonly no: number;
  readonly task: string;
}

async function lockFirst(
  on: Connection,
  { plan, among, held, isFresh }: ClaimWish,
  passed: ReadonlySet<number>,
): Promise<Found | undefined> {
  // The server would give us again what we have.
  const not = [...held.numbers('task'), ...passed];
  const [row] = await on.query(LOCK_FIRST, [plan, among, not, isFresh()]);
  return row && { no: Number(row['no']), task: String(row['id']) };
}

/** A new statement sees what was written before the lock was ours. */
const CLAIM = `
  update skeleton.task as t set owner = $2, owner_pid = pg_backend_pid(), since = clock_timestamp()
  from skeleton.plan as p
  where t.no = $1 and p.no = t.plan and ${TO_DO}
  returning t.campaign = p.campaign as continued`;

const RETAKE = `
  update skeleton.task set owner_pid = pg_backend_pid()
  where no = $1 and owner = $2 and owner_pid = $3 returning no`;

const LET_GO = `
  update skeleton.task set owner = null, owner_pid = null, since = null
  where no = $1 and owner_pid = pg_backend_pid()`;

async function settle(
  on: Connection,
  { owner, held }: ClaimWish,
  { no, task }: Found,
): Promise<Claimed | undefined> {
  const [row] = await on.query(CLAIM, [no, owner]);
  if (row === undefined) {
    await on.query(`select pg_advisory_unlock(${spaceOf('task')}, $1::int4)`, [no]);
    return undefined;
  }
  let backend = on.backend.pid;
  const lock = held.keep({
    key: { space: 'task', no },
    confirm: async (next) => {
      // Whoever has claimed it, or written about it, since has put his own number there.
      const rows = await next.query(RETAKE, [no, owner, backend]);
      backend = next.backend.pid;
      return rows.length === 1;
    },
    letGo: async (last) => last.query(LET_GO, [no]),
  });
  return { task, isContinued: row['continued'] === true, lock };
}
