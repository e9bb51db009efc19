import { Refusal, type LedgerLook, type LedgerServer, type PlanWork } from '../../ports.ts';
import { locksOn } from './held-locks.ts';
import { migrations, type Queryable } from './migrations.ts';
import { workerIn } from './once.ts';
import { openSession } from './session.ts';
import { locate } from './shown-url.ts';
import { surveyOf } from './survey.ts';
import { timingsOf } from './timings.ts';
import { explain } from './trouble.ts';

/** Opens a shared ledger to look at it. Throws Refusal (2: no such URL, 3: a server that cannot be used or reached). */
export async function openLook(
  url: string,
  options: { readonly project: string },
): Promise<LedgerLook> {
  const location = locate(url);
  const project = location.project ?? options.project;
  const session = await openSession({
    location,
    timings: timingsOf(),
    readOnly: true,
    name: 'skeleton looks',
  });
  const ask = async <T>(question: (on: Queryable) => Promise<T>): Promise<T> => {
    try {
      return await session.repeat(async (on) => {
        try {
          return await question(on);
        } catch (error) {
          throw isForbidden(error) ? unreadable(location.shown) : error;
        }
      });
    } catch (error) {
      throw explain(error, location);
    }
  };
  return {
    work: (plan) => ask((on) => workOf(on, project, plan)),
    stamp: () => ask((on) => stampOf(on, project)),
    server: () => ask(serverOf),
    close: () => session.close(),
  };
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501';
}

function unreadable(shown: string): Refusal {
  return new Refusal(
    3,
    `this role may not read the ledger ${shown}`,
    'skeleton doctor     says what it lacks',
  );
}

const WORKERS = `select distinct a.application_name as name
  from skeleton.plan as p
  join pg_catalog.pg_locks as l on ${locksOn('event', 'p.no')}
  join pg_catalog.pg_stat_activity as a on a.pid = l.pid
  where p.project = $1 and p.slug = $2`;

async function workOf(on: Queryable, project: string, plan: string): Promise<PlanWork> {
  if (!(await isMade(on))) return { held: [], runs: [] };
  const { held } = await surveyOf(on, project, plan);
  const rows = await on.query(WORKERS, [project, plan]);
  const present = rows.flatMap(({ name }) => workerIn(String(name)) ?? []);
  return { held, runs: [...new Set([...held, ...present].map(({ run }) => run))] };
}

/** Each event moves its task's head by one, in the same transaction; workers and claims are their locks. */
const STAMP = `select
  (select coalesce(sum(t.head), 0) from skeleton.plan as p join skeleton.task as t on t.plan = p.no
    where p.project = $1)::text as heads,
  (select string_agg(t.no || ' ' || l.pid, ',' order by t.no, l.pid)
    from skeleton.plan as p join skeleton.task as t on t.plan = p.no
    join pg_catalog.pg_locks as l on ${locksOn('task', 't.no')}
    where p.project = $1 and t.owner is not null) as claims,
  (select string_agg(p.no || ' ' || l.pid, ',' order by p.no, l.pid)
    from skeleton.plan as p join pg_catalog.pg_locks as l on ${locksOn('event', 'p.no')}
    where p.project = $1) as workers`;

async function stampOf(on: Queryable, project: string): Promise<string> {
  if (!(await isMade(on))) return '';
  const [row] = await on.query(STAMP, [project]);
  return JSON.stringify(row);
}

async function isMade(on: Queryable): Promise<boolean> {
  const [row] = await on.query(
    `select exists (select from pg_catalog.pg_class as c
      join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
      where n.nspname = 'skeleton' and c.relname = 'migration') as made`,
  );
  return row?.['made'] === true;
}

async function serverOf(on: Queryable): Promise<LedgerServer> {
  const begun = performance.now();
  const [facts] = await on.query(
    `select current_setting('server_version') as version, current_user::text as role`,
  );
  const milliseconds = performance.now() - begun;
  const missing = (await isMade(on)) ? await lacking(on) : await lackingToMake(on);
  const isReadable = !missing.some((what) => /usage|migration/.test(what));
  return {
    version: /[\d.]+/.exec(String(facts?.['version']))?.[0] ?? '',
    role: String(facts?.['role']),
    schema: isReadable ? await schemaOf(on) : undefined,
    knownSchema: migrations.length,
    lacking: missing,
    milliseconds,
  };
}

async function schemaOf(on: Queryable): Promise<number> {
  if (!(await isMade(on))) return 0;
  const [row] = await on.query('select max(version) as version from skeleton.migration');
  return Number(row?.['version'] ?? 0);
}

/** By the catalogue: nothing is tried. */
async function lacking(on: Queryable): Promise<readonly string[]> {
  const [schema] = await on.query(`select has_schema_privilege('skeleton', 'usage') as may`);
  if (schema?.['may'] !== true) return ['usage on schema skeleton'];
  const rows = await on.query(
    `select lower(r.privilege) || ' on skeleton.' || c.relname as what
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    cross join (values ('SELECT'), ('INSERT'), ('UPDATE')) as r (privilege)
    where n.nspname = 'skeleton' and c.relkind in ('r', 'p')
      and (c.relname <> 'migration' or r.privilege = 'SELECT')
      and not has_table_privilege(c.oid, r.privilege)
    order by c.relname, r.privilege`,
  );
  return rows.map((row) => String(row['what']));
}

async function lackingToMake(on: Queryable): Promise<readonly string[]> {
  const [row] = await on.query(
    `select has_database_privilege(current_database(), 'create') or exists (
      select from pg_catalog.pg_namespace
      where nspname = 'skeleton' and has_schema_privilege(oid, 'create')) as may`,
  );
  return row?.['may'] === true ? [] : ['create on the database, or a schema skeleton of its own'];
}
