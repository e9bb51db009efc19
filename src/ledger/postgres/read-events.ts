import type { Recorded } from '../../core/events.ts';
import { Refusal } from '../../ports.ts';
import { readRow } from '../event-row.ts';
import type { Connection } from './connection.ts';
import { migrations, type Queryable } from './migrations.ts';
import { inTransaction, type Session } from './session.ts';

type Rows = Awaited<ReturnType<Queryable['query']>>;

/** Asks the ledger; no schema yet answers with nothing. */
export interface Reader {
  readonly ask: (sql: string, values: readonly unknown[]) => Promise<Rows>;
  /** Events of one project, in order of writing, every field checked; `condition` is of `e` and `p`, and $1 the project. */
  readonly events: (condition: string, values: readonly unknown[]) => Promise<readonly Recorded[]>;
  /** All of a plan. */
  readonly history: (plan: string) => Promise<readonly Recorded[]>;
}

const FIELDS = 'e.id, p.slug as plan, e.task, e.seq, e.run, e.at, e.type, e.body';
const EVENTS = `select ${FIELDS} from skeleton.event as e join skeleton.plan as p on p.no = e.plan
  where p.project = $1 and`;

/** Rows that come in one answer, which then takes no longer than a statement may. */
const AT_ONCE = 5000;

/** Throws Refusal(3) for a schema of another version, and for an event that cannot be read. */
export function readerOf(session: Session, project: string): Reader {
  const present = presence(session.where);
  const unreadable = (reason: string): Error =>
    new Refusal(
      3,
      `the ledger ${session.where} cannot be read: ${reason}`,
      'use the newest skeleton; else somebody wrote there by hand: restore a backup of the database',
    );
  const read = (rows: Rows): readonly Recorded[] => rows.map((row) => readRow(row, unreadable));
  const ask: Reader['ask'] = async (sql, values) =>
    session.repeat(async (on) => ((await present(on)) ? on.query(sql, values) : []));
  return {
    ask,
    events: async (condition, values) =>
      read(await ask(`${EVENTS} (${condition}) order by e.id`, [project, ...values])),
    history: async (plan) =>
      read(
        await session.repeat(async (on) =>
          inTransaction(
            on,
            async () => ((await present(on)) ? allRows(on, [project, plan]) : []),
            // One picture: a page that is read later must not know more than one before it.
            'begin isolation level repeatable read read only',
          ),
        ),
      ),
  };
}

async function allRows(
  on: Connection,
  of: readonly [project: string, plan: string],
): Promise<Rows> {
  const sql = `${EVENTS} p.slug = $2 and e.id > $3 order by e.id limit ${AT_ONCE}`;
  const rows: Rows[number][] = [];
  for (;;) {
    const page = await on.query(sql, [...of, rows.at(-1)?.['id'] ?? 0]);
    rows.push(...page);
    if (page.length < AT_ONCE) return rows;
  }
}

/** Looked for until it is there: who only reads makes none. */
function presence(where: string): (on: Connection) => Promise<boolean> {
  let isPresent = false;
  return async (on) => {
    if (isPresent) return true;
    const [row] = await on.query(`select to_regclass('skeleton.migration') is not null as there`);
    if (row?.['there'] !== true) return false;
    const [version] = await on.query('select max(version) as version from skeleton.migration');
    assertKnown(Number(version?.['version'] ?? 0), where);
    isPresent = true;
    return true;
  };
}

function assertKnown(version: number, where: string): void {
  const known = migrations.length;
  if (version > known)
    throw new Refusal(
      3,
      `the ledger ${where} has schema ${version}, this skeleton knows none above ${known}`,
      'use the newer skeleton that wrote it',
    );
  if (version < known)
    throw new Refusal(
      3,
      `the ledger ${where} has schema ${version}, this skeleton reads ${known}`,
      'skeleton run (it brings the ledger up to date)',
    );
}
