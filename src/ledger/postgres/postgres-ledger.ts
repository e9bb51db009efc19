import type { Recorded } from '../../core/events.ts';
import { pastOf, withoutGates } from '../../core/plan-past.ts';
import { refsToldIn } from '../../core/traces.ts';
import { Refusal, StaleWrite, type Ledger } from '../../ports.ts';
import { commitOf, runRows } from '../run-rows.ts';
import { append, type Desk } from './append.ts';
import type { Connection } from './connection.ts';
import { ConnectionLost } from './line.ts';
import { inboxOf } from './inbox.ts';
import type { HeldLocks } from './held-locks.ts';
import { underWayPhases } from './phases.ts';
import { readerOf, type Reader } from './read-events.ts';
import { restoreEvents } from './restore.ts';
import { ensurePlan, numbersOf } from './rows.ts';
import type { Session } from './session.ts';

export interface LedgerOptions {
  readonly project: string;
  readonly held: HeldLocks;
}

/** The ledger in PostgreSQL, on a session; closing it closes the session. Throws Refusal(3) where there is no server for good. */
export function postgresLedger(session: Session, { project, held }: LedgerOptions): Ledger {
  const reader = readerOf(session, project);
  const desk: Desk = { session, held, numbers: numbersOf(project) };
  return {
    isShared: true,
    ...reading(reader, project),
    ...knowing(reader, project),
    ...writing(desk, project),
    ...inboxOf(session, reader, project),
    close: async () => session.close(),
  };
}

type Reading =
  | 'assertReadable'
  | 'history'
  | 'past'
  | 'sinceEnd'
  | 'taskHistory'
  | 'plans'
  | 'runs'
  | 'ofRun'
  | 'refsTold';

function reading(reader: Reader, project: string): Pick<Ledger, Reading> {
  const { events } = reader;
  const plans = async (): Promise<ReadonlyMap<string, string>> => {
    const sql = `select slug, path from skeleton.plan where project = $1 and path <> '' order by slug`;
    const rows = await reader.ask(sql, [project]);
    return new Map(rows.map(({ slug, path }) => [String(slug), String(path)]));
  };
  return {
    // The server guards its pages, the schema its rows, and each event is checked when it is read.
    assertReadable: async () => {
      await reader.ask('select 1', []);
    },
    history: reader.history,
    past: async (plan) => withoutGates(pastOf(await reader.history(plan))),
    sinceEnd: async (plan) => events(SINCE_END, [plan]),
    taskHistory: async (plan, task) => events('p.slug = $2 and e.task = $3', [plan, task]),
    plans,
    runs: async (plan) => runRows(await events(BEGINS_OR_ENDS, []), await plans(), plan),
    ofRun: async (plan, run) => events('p.slug = $2 and e.run = $3', [plan, run]),
    refsTold: async (plan) => refsToldIn(await events(NAMES_REFS, [plan])),
  };
}

const LAST_END = `coalesce((select max(l.id) from skeleton.event as l
  where l.plan = p.no and l.type = 'run.finished'), 0)`;
const SINCE_END = `p.slug = $2 and (e.id = ${LAST_END} or e.task in (
  select s.task from skeleton.event as s where s.plan = p.no and s.task <> '' and s.id > ${LAST_END}))`;
const BEGINS_OR_ENDS = `e.type in ('run.started', 'run.finished')`;
const NAMES_REFS = `p.slug = $2 and e.type in ('gates.passed', 'rollback.done', 'run.started')`;

type Knowing = 'highestNumber' | 'underWay' | 'underWayElsewhere' | 'knowsCommit' | 'verdict';

function knowing({ ask, events }: Reader, project: string): Pick<Ledger, Knowing> {
  return {
    highestNumber: async (plan) => {
      const sql = 'select highest from skeleton.plan where project = $1 and slug = $2';
      const [row] = await ask(sql, [project, plan]);
      return Number(row?.['highest'] ?? 0);
    },
    underWay: async (worktree) =>
      (await events(BEGUN_AND_OPEN, [underWayPhases]))
        .filter((recorded) => worktreeOf(recorded) === worktree)
        .map(({ plan, task }) => ({ plan, task })),
    underWayElsewhere: async (plan, worktree) =>
      (await events(`${BEGUN_AND_OPEN} and p.slug = $3`, [underWayPhases, plan])).flatMap((one) => {
        const other = worktreeOf(one);
        return other === worktree ? [] : [{ task: one.task, worktree: other }];
      }),
    knowsCommit: async (plan, commit) =>
      // The text is only looked for to leave most rows unread.
      (await events(STANDS_AT_COMMIT, [plan, commit])).some((one) => commitOf(one) === commit),
    verdict: async (tree, gatesHash) => {
      const sql = `select verdict from skeleton.verdict where project = $1 and tree = $2 and gates_hash = $3`;
      const [row] = await ask(sql, [project, tree, gatesHash]);
      const verdict = row?.['verdict'];
      return verdict === 'pass' || verdict === 'fail' ? verdict : undefined;
    },
  };
}

/** The last beginning in each task that is under way. */
const BEGUN_AND_OPEN = `e.type = 'attempt.started' and exists (
    select from skeleton.task as t where t.plan = e.plan and t.id = e.task and t.phase = any ($2::text[]))
  and not exists (
    select from skeleton.event as later
    where later.plan = e.plan and later.task = e.task and later.seq > e.seq
      and later.type = 'attempt.started')`;
const STANDS_AT_COMMIT = `p.slug = $2 and e.type in ('checkpoint.created', 'run.started')
  and position($3 in e.body) > 0`;

function worktreeOf({ event }: Recorded): string {
  return event.type === 'attempt.started' ? event.worktree : '';
}

type Writing = 'append' | 'restore' | 'addPlan' | 'takeNumber' | 'rememberVerdict';

function writing(desk: Desk, project: string): Pick<Ledger, Writing> {
  const { session } = desk;
  return {
    append: async (entry, expected) => append(desk, entry, expected),
    restore: async ({ slug, path }, { entries, highest }) =>
      untilLost(session, async (on) => {
        const no = await ensurePlan(on, project, slug);
        await on.query(RAISE, [no, highest]);
        await on.query(BIND, [no, path]);
        await restoreEvents(on, { no, slug }, entries);
      }),
    addPlan: async (plan, path) =>
      session.repeat(async (on) => {
        const bound = await bind(on, await ensurePlan(on, project, plan), path);
        if (bound !== path)
          throw new StaleWrite(
            `the plan name ${plan} already stands for ${bound}, not for ${path}`,
          );
      }),
    takeNumber: async (plan, above) =>
      // A number that was handed out to nobody, because the answer was lost, stays unused.
      session.repeat(async (on) => {
        const no = await ensurePlan(on, project, plan);
        const [row] = await on.query(TAKE, [no, above]);
        return Number(row?.['highest']);
      }),
    rememberVerdict: async (tree, gatesHash, verdict) => {
      await session.repeat(async (on) => on.query(REMEMBER, [project, tree, gatesHash, verdict]));
    },
  };
}

/** All or nothing; which of them, the next run sees in the ledger. */
async function untilLost(session: Session, work: (on: Connection) => Promise<void>): Promise<void> {
  try {
    await session.transaction(work);
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    throw new Refusal(
      4,
      `the connection to the ledger ${session.where} was lost while history was written back`,
      'skeleton run (it looks again at what is missing)',
    );
  }
}

async function bind(on: Connection, no: number, path: string): Promise<string> {
  await on.query(BIND, [no, path]);
  const [row] = await on.query('select path from skeleton.plan where no = $1', [no]);
  return String(row?.['path']);
}

const BIND = `update skeleton.plan set path = $2 where no = $1 and path = ''`;
const RAISE = `update skeleton.plan set highest = greatest(highest, $2) where no = $1`;
const TAKE = `update skeleton.plan set highest = greatest(highest, $2::int4) + 1 where no = $1 returning highest`;
const REMEMBER = `
  insert into skeleton.verdict (project, tree, gates_hash, verdict) values ($1, $2, $3, $4)
  on conflict (project, tree, gates_hash) do update set verdict = excluded.verdict`;
