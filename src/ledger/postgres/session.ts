import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Backend, type Connection, type Wanted } from './connection.ts';
import { ConnectionLost } from './line.ts';
import { jittered, type Timings } from './timings.ts';
import { explain, explainStatement, isLasting, isPassing } from './trouble.ts';

/** Told of what becomes of the connection. */
export interface SessionEvents {
  /** A new connection, before anybody else uses it; `ghosts`: the server may not have noticed yet that these are gone. */
  readonly restored: (on: Connection, ghosts: readonly Backend[]) => Promise<void>;
  /** There is none, and there will be none any more. */
  readonly ended: (reason: unknown) => void;
  readonly told: (payload: string) => void;
}

/** One connection for a whole process, made again when it is lost. */
export interface Session {
  /** The URL without its password. */
  readonly where: string;
  readonly timings: Timings;
  /** Milliseconds (performance.now) since when the connection stands. */
  since(): number;
  /** There is a connection, as far as we know. */
  isUp(): boolean;
  watch(events: Partial<SessionEvents>): void;
  /** A run has begun: what the server does not carry out from now on is Refusal(4). */
  begin(): void;
  /**
   * Does a piece of work, one after the other (none within another, which would wait for itself); waits for a connection first. Throws ConnectionLost where it is lost meanwhile,
   * Refusal(3) where there is none for good; Refusal(3, or 4 once a run has begun) where the server cannot do its part: no room, no right, no table.
   */
  run<T>(work: (on: Connection) => Promise<T>): Promise<T>;
  /** The same again on a new connection, and where others held the server up, for what may be done twice. */
  repeat<T>(work: (on: Connection) => Promise<T>): Promise<T>;
  /** `run`, all or nothing; `begin`: how the transaction begins. */
  transaction<T>(work: (on: Connection) => Promise<T>, begin?: string): Promise<T>;
  close(): Promise<void>;
}

interface State {
  readonly wanted: Wanted;
  readonly events: Partial<SessionEvents>[];
  readonly closing: AbortController;
  connection: Promise<Connection>;
  up: Connection | undefined;
  since: number;
  ghosts: readonly Backend[];
  isBegun: boolean;
}

/** Connects. Throws Refusal(3): at once where waiting does not help, else when the first patience is over. */
export async function openSession(wanted: Wanted): Promise<Session> {
  const state: State = {
    wanted,
    events: [],
    closing: new AbortController(),
    connection: new Promise(() => undefined),
    up: undefined,
    since: 0,
    ghosts: [],
    isBegun: false,
  };
  state.connection = connectPatiently(state, {
    isFirst: true,
    patience: wanted.timings.firstPatience,
  });
  await state.connection;
  return sessionOf(state);
}

function sessionOf(state: State): Session {
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const enqueue = async <T>(work: (on: Connection) => Promise<T>): Promise<T> => {
    waiting += 1;
    const done = queue.then(async () => work(await state.connection));
    queue = done.catch(() => undefined).finally(() => (waiting -= 1));
    return done;
  };
  const run: Session['run'] = async (work) => explained(state, async () => enqueue(work));
  // A statement that is under way has its own deadline.
  const ping = (): void => {
    if (waiting === 0) void run(async (on) => on.query('select 1')).catch(() => undefined);
  };
  const pings = setInterval(ping, state.wanted.timings.ping).unref();
  return {
    where: state.wanted.location.shown,
    timings: state.wanted.timings,
    since: () => state.since,
    isUp: () => state.up !== undefined,
    watch: (events) => void state.events.push(events),
    begin: () => {
      state.isBegun = true;
    },
    run,
    repeat: async (work) => explained(state, async () => repeat(state, async () => enqueue(work))),
    transaction: async (work, begin) =>
      run(async (on) => inTransaction(on, async () => work(on), begin)),
    close: async () => {
      clearInterval(pings);
      await close(state);
    },
  };
}

async function explained<T>(state: State, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainStatement(error, state.wanted.location, state.isBegun ? 4 : 3);
  }
}

/** What breaks every connection is not tried for ever. */
const REPEATS = 10;

async function repeat<T>(state: State, work: () => Promise<T>): Promise<T> {
  for (let left = REPEATS; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (isPassing(error) && left > 0) {
        const pause = jittered(PAUSES[REPEATS - left] ?? 1000);
        await delay(pause, undefined, { signal: state.closing.signal });
      } else if (!(error instanceof ConnectionLost)) throw error;
      else if (left === 0) throw explain(error, state.wanted.location);
    }
  }
}

/** All or nothing, within a piece of work. */
export async function inTransaction<T>(
  on: Connection,
  work: () => Promise<T>,
  begin = 'begin',
): Promise<T> {
  await on.query(begin);
  try {
    const result = await work();
    await on.query('commit');
    return result;
  } catch (error) {
    // Without a connection the server has done it itself.
    await on.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Milliseconds between two tries to connect, before jitter. */
const PAUSES = [50, 100, 200, 400, 800, 1000] as const;
const LONG_PAUSE = 5000;
/** From then on the pauses are long. */
const SOON = 15_000;

interface Trying {
  readonly isFirst: boolean;
  readonly patience: number;
}

async function connectPatiently(state: State, { isFirst, patience }: Trying): Promise<Connection> {
  const begun = performance.now();
  for (let tries = 0; ; tries += 1) {
    const past = performance.now() - begun;
    const pause = past > SOON ? LONG_PAUSE : (PAUSES[tries] ?? 1000);
    if (tries > 0 || !isFirst)
      await delay(jittered(pause), undefined, { signal: state.closing.signal });
    try {
      return await adopt(state);
    } catch (error) {
      const isOver = performance.now() - begun > patience;
      if (isOver || isLasting(error, isFirst)) throw explain(error, state.wanted.location);
    }
  }
}

/** Connects once, and has everybody who holds something take it again, before the connection is used for anything else. */
async function adopt(state: State): Promise<Connection> {
  const life: { connection?: Connection; isOver: boolean } = { isOver: false };
  const connection = await connect(state.wanted, {
    lost: () => {
      life.isOver = true;
      if (life.connection === undefined) return;
      state.ghosts = [...state.ghosts, life.connection.backend];
      if (state.up === life.connection) lose(state);
    },
    told: (payload) => state.events.forEach((events) => events.told?.(payload)),
  });
  life.connection = connection;
  try {
    for (const events of state.events) await events.restored?.(connection, state.ghosts);
    state.closing.signal.throwIfAborted();
    if (life.isOver) throw new ConnectionLost('the connection was lost again');
  } catch (error) {
    state.ghosts = [...state.ghosts, connection.backend];
    connection.destroy();
    throw error;
  }
  state.ghosts = [];
  state.up = connection;
  state.since = performance.now();
  return connection;
}

function lose(state: State): void {
  state.up = undefined;
  if (state.closing.signal.aborted) return;
  const { patience } = state.wanted.timings;
  state.connection = connectPatiently(state, { isFirst: false, patience });
  state.connection.catch((error: unknown) => {
    if (!state.closing.signal.aborted) state.events.forEach((events) => events.ended?.(error));
  });
}

async function close(state: State): Promise<void> {
  if (state.closing.signal.aborted) return;
  state.closing.abort(new Error('the ledger is closed'));
  const { up } = state;
  state.up = undefined;
  state.connection = Promise.reject(
    new Error(`the ledger ${state.wanted.location.shown} is closed`),
  );
  state.connection.catch(() => undefined);
  await up?.end();
}
