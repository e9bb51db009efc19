import type { Client } from 'pg';
import { Refusal } from '../../ports.ts';
import { lineOf, ownPid, type Line, type Listeners } from './line.ts';
import type { Location } from './shown-url.ts';
import type { Timings } from './timings.ts';

/** A server process, so that no later one of the same number is taken for it. */
export interface Backend {
  readonly pid: number;
  readonly start: string;
}

/** One connection, straight to the server, and no pooler between. */
export interface Connection extends Line {
  readonly backend: Backend;
}

export interface Wanted {
  readonly location: Location;
  readonly timings: Timings;
  readonly readOnly: boolean;
  /** What the server calls us (`pg_stat_activity`). */
  readonly name: string;
}

/** Connects once. Throws what the driver throws, and Refusal(3) for a server that cannot keep a ledger. */
export async function connect(wanted: Wanted, listeners: Listeners): Promise<Connection> {
  const { Client: PgClient } = await import('pg');
  const { location, timings, name } = wanted;
  const client = new PgClient({
    connectionString: location.connection,
    application_name: name,
    connectionTimeoutMillis: timings.deadline,
    keepAlive: true,
    keepAliveInitialDelayMillis: timings.deadline,
  });
  const line = lineOf(client, listeners, timings);
  try {
    await client.connect();
    await client.query(settings(wanted));
    // Not on every system that PostgreSQL runs on.
    await client.query(`set client_connection_check_interval = '2s'`).catch(() => undefined);
    const backend = await readBackend(client, location.shown);
    if (!wanted.readOnly) await client.query('listen skeleton');
    return { ...line, backend };
  } catch (error) {
    line.destroy();
    throw error;
  }
}

/** Every packet goes out or counts as lost: keepalives alone never see a frozen process. */
function settings({ timings, readOnly }: Wanted): string {
  const seconds = (milliseconds: number): number => Math.max(1, Math.round(milliseconds / 1000));
  const { deadline, idle, ping } = timings;
  return Object.entries({
    synchronous_commit: 'on',
    idle_session_timeout: idle,
    // A frozen worker in the midst of one would keep others out.
    idle_in_transaction_session_timeout: ping,
    statement_timeout: STATEMENT,
    tcp_keepalives_idle: seconds(deadline),
    tcp_keepalives_interval: seconds(ping),
    tcp_keepalives_count: 3,
    default_transaction_read_only: readOnly ? 'on' : 'off',
  })
    .map(([setting, value]) => `set ${setting} = ${value}`)
    .join('; ');
}

/** Milliseconds. None of ours takes that long; a shorter patience makes no server quicker. */
const STATEMENT = 10_000;

interface Facts {
  readonly pid: number;
  readonly start: string;
  readonly version: number;
  readonly encoding: string;
  readonly replica: boolean;
}

async function readBackend(client: Client, where: string): Promise<Backend> {
  const { rows } = await client.query<Facts>(
    `select pid, backend_start::text as start, current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as replica
    from pg_stat_activity where pid = pg_backend_pid()`,
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error(`the server of ${where} does not know its own process`);
  refuseUnfit(facts, { client, where });
  return { pid: facts.pid, start: facts.start };
}

function refuseUnfit(
  { pid, version, encoding, replica }: Facts,
  { client, where }: { readonly client: Client; readonly where: string },
): void {
  if (version < 140_000)
    throw new Refusal(
      3,
      `the ledger ${where} is on PostgreSQL ${Math.floor(version / 10_000)}; skeleton needs 14 or newer`,
      'name a newer server',
    );
  if (replica)
    throw new Refusal(
      3,
      `the ledger ${where} is on a read replica (pg_is_in_recovery): its locks hold nobody back`,
      'name the primary in the URL',
    );
  if (encoding !== 'UTF8')
    throw new Refusal(
      3,
      `the ledger ${where} is in a database of encoding ${encoding}: not every text fits in`,
      `create database NAME template template0 encoding 'UTF8', and name that one`,
    );
  if (ownPid(client) !== pid)
    throw new Refusal(
      3,
      `the ledger ${where} is behind a connection pooler, where a lock may outlive its worker or belong to two`,
      'name the server itself in the URL, not its pooler (not even in session mode: it would watch the pooler, not the worker)',
    );
}
