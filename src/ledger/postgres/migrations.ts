import { Refusal } from '../../ports.ts';

/** What a migration needs of a session: one statement a call, with no other between its calls. Errors of the server carry its `code`. */
export interface Queryable {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/**
 * The schema, one step a version, one statement an entry; the table `migration` keeps the steps that were taken. Only ever append: a
 * step that was released is never edited. Texts are compared byte by byte, as SQLite does, whatever the database's language is.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    `create table skeleton.migration (
      version integer primary key check (version > 0),
      at timestamptz not null default now()
    )`,
    `create table skeleton.plan (
      no integer generated always as identity primary key,
      project text collate "C" not null check (project <> ''),
      slug text collate "C" not null check (slug <> ''),
      path text collate "C" not null,
      highest integer not null default 0 check (highest >= 0),
      campaign integer not null default 0 check (campaign >= 0),
      is_open boolean not null default false,
      unique (project, slug)
    )`,
    `create table skeleton.task (
      no integer generated always as identity primary key,
      plan integer not null references skeleton.plan (no),
      id text collate "C" not null,
      head integer not null default 0 check (head >= 0),
      phase text collate "C" not null default 'open'
        check (phase in ('open', 'running', 'gating', 'checkpointing', 'rolling-back', 'passed')),
      outcome text collate "C"
        check (outcome in ('passed', 'unjudged', 'failed', 'blocked', 'stopped', 'skipped')),
      campaign integer not null default 0 check (campaign >= 0),
      owner text,
      owner_pid integer,
      since timestamptz,
      unique (plan, id)
    )`,
    `create index task_owned on skeleton.task (plan) where owner is not null`,
    `create table skeleton.event (
      id bigint generated always as identity,
      plan integer not null,
      task text collate "C" not null,
      seq integer not null check (seq > 0),
      run text collate "C" not null,
      at text collate "C" not null,
      type text collate "C" not null,
      body text collate "C" not null,
      primary key (plan, task, seq),
      foreign key (plan, task) references skeleton.task (plan, id)
    )`,
    `create unique index event_in_order on skeleton.event (plan, id)`,
    `create index event_by_type on skeleton.event (plan, type, id)`,
    `create table skeleton.verdict (
      project text collate "C" not null check (project <> ''),
      tree text collate "C" not null,
      gates_hash text collate "C" not null,
      verdict text collate "C" not null check (verdict in ('pass', 'fail')),
      primary key (project, tree, gates_hash)
    )`,
    `create table skeleton.note (
      no bigint generated always as identity primary key,
      plan integer not null references skeleton.plan (no),
      id text collate "C" not null,
      at text collate "C" not null,
      kind text collate "C" not null check (kind in ('pause', 'tell', 'skip')),
      task text collate "C" not null,
      text text collate "C" not null,
      by text collate "C" not null,
      taken boolean not null default false,
      unique (plan, id)
    )`,
    `create index note_to_take on skeleton.note (plan, no) where not taken`,
  ],
];

/**
 * Brings the database's schema `skeleton` up to date, or leaves it alone where it is: then a role with the grants alone will do.
 * `where` names the database without its password. Throws Refusal(3) for a newer schema, and for a role that may not do what is
 * needed, with the line that an administrator has to run.
 */
export async function migrate(
  session: Queryable,
  where: string,
  steps: readonly (readonly string[])[] = migrations,
): Promise<void> {
  try {
    if ((await versionOf(session, { where, steps })) === steps.length) return;
    await session.query('begin');
    try {
      await takeSteps(session, { where, steps });
      await session.query('commit');
    } catch (error) {
      // Without a connection the server has done it itself.
      await session.query('rollback').catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw isForbidden(error) ? await forbidden(session, where) : error;
  }
}

interface Wanted {
  readonly where: string;
  readonly steps: readonly (readonly string[])[];
}

/** Whoever comes second waits, and finds nothing left to do. */
async function takeSteps(session: Queryable, wanted: Wanted): Promise<void> {
  // A key of its own: there is no table yet whose number could be one.
  await session.query(`select pg_advisory_xact_lock(hashtextextended('skeleton.migration', 0))`);
  const version = await versionOf(session, wanted);
  if (!(await isThere(session, SCHEMA))) await session.query('create schema skeleton');
  for (const [index, statements] of wanted.steps.entries()) {
    if (index < version) continue;
    for (const statement of statements) await session.query(statement);
    await session.query('insert into skeleton.migration (version) values ($1)', [index + 1]);
  }
}

/** Of the schema; 0 where there is none. Throws Refusal(3) where it is newer than we are. */
export async function versionOf(
  session: Queryable,
  { where, steps = migrations }: Pick<Wanted, 'where'> & Partial<Wanted>,
): Promise<number> {
  if (!(await isThere(session, TABLE))) return 0;
  const [row] = await session.query('select max(version) as version from skeleton.migration');
  const version = Number(row?.['version'] ?? 0);
  if (version > steps.length)
    throw new Refusal(
      3,
      `the ledger ${where} has schema ${version}, this skeleton knows none above ${steps.length}`,
      'use the newer skeleton that wrote it',
    );
  return version;
}

// Of the catalogue, which everybody may read: a role without rights is told what it lacks.
const SCHEMA = `select from pg_catalog.pg_namespace where nspname = 'skeleton'`;
const TABLE = `select from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where n.nspname = 'skeleton' and c.relname = 'migration'`;

async function isThere(session: Queryable, what: string): Promise<boolean> {
  const [row] = await session.query(`select exists (${what}) as found`);
  return row?.['found'] === true;
}

/** insufficient_privilege (postgresql.org/docs/current/errcodes-appendix.html). */
function isForbidden(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === '42501';
}

async function forbidden(session: Queryable, where: string): Promise<Refusal> {
  const isMade = await isThere(session, TABLE);
  const [row] = await session.query('select quote_ident(current_user) as role');
  const role = String(row?.['role']);
  const [version] = isMade ? await session.query(OWNER) : [];
  const line = isMade ? grantsTo(role) : `create schema skeleton authorization ${role};`;
  const owner = version === undefined ? '' : `, or migrates it as ${String(version['owner'])}`;
  return new Refusal(
    3,
    `the role ${role} may not use the schema skeleton of the ledger ${where}, or not make it`,
    `an administrator of the database runs, once${owner}:  ${line}`,
  );
}

const OWNER = `select quote_ident(pg_catalog.pg_get_userbyid(nspowner)) as owner
  from pg_catalog.pg_namespace where nspname = 'skeleton'`;

/** All that a worker needs, once somebody else has made the schema. */
function grantsTo(role: string): string {
  return `grant usage on schema skeleton to ${role}; grant select, insert, update on all tables in schema skeleton to ${role};`;
}
