import { replay, type State } from '../../src/core/machine.ts';
import type { Event, Recorded } from '../../src/core/events.ts';
import { isOfTask } from '../../src/core/history.ts';
import { stepOf, type Phase } from '../../src/ledger/postgres/phases.ts';
import {
  ClaimLost,
  StaleWrite,
  type BranchTurn,
  type Claim,
  type Claims,
  type Ledger,
  type UnderWay,
} from '../../src/ports.ts';
import type { Actor, Schedule } from './memory-schedule.ts';

/** What the ledger's server knows, of one plan. */
export interface MemoryServer {
  readonly events: readonly Recorded[];
  readonly ofTask: (task: string) => readonly Recorded[];
  readonly phaseOf: (task: string) => Phase;
  /** Who holds a lock now, by its name: `task a`, `turn`. */
  readonly holderOf: (lock: string) => string | undefined;
  /** Of the team that is at work, or was last. */
  readonly campaign: () => number;
  /** Drops all that a worker's connection holds, whether he knows it or not. */
  readonly drop: (actor: Actor) => void;
  readonly connect: (actor: Actor) => { readonly ledger: Ledger; readonly claims: Claims };
}

interface Row {
  head: number;
  phase: Phase;
  outcome: string | null;
  campaign: number;
  owner: string | undefined;
  since: number;
  /** Number of the connection. */
  session: number | undefined;
}

interface Server {
  readonly schedule: Schedule;
  readonly events: Recorded[];
  readonly rows: Map<string, Row>;
  /** Name to number of the connection. */
  readonly locks: Map<string, number>;
  readonly present: Set<number>;
  readonly clients: Map<string, Client>;
  sessions: number;
  campaign: number;
  isOpen: boolean;
  highest: number;
}

interface Held {
  readonly lock: string;
  readonly task: string | undefined;
  readonly loss: AbortController;
}

interface Client {
  readonly actor: Actor;
  readonly held: Set<Held>;
  session: number;
  isUp: boolean;
  isJoined: boolean;
  hasRung: boolean;
}

/** A server that guards as the SQL does: expected sequence, the phase that an event may follow, the lock's own session. */
export function openMemoryServer(schedule: Schedule): MemoryServer {
  const state: Server = {
    ...{ schedule, events: [], rows: new Map(), locks: new Map(), present: new Set() },
    ...{ clients: new Map(), sessions: 0, campaign: 0, isOpen: false, highest: 0 },
  };
  return {
    events: state.events,
    ofTask: (task) => state.events.filter((one) => one.task === task),
    phaseOf: (task) => rowOf(state, task).phase,
    holderOf: (lock) => nameOf(state, state.locks.get(lock)),
    campaign: () => state.campaign,
    drop: ({ name }) => {
      const client = state.clients.get(name);
      if (client !== undefined) drop(state, client);
    },
    connect: (actor) => {
      const client: Client = {
        ...{ actor, held: new Set<Held>(), session: (state.sessions += 1) },
        ...{ isUp: true, isJoined: false, hasRung: false },
      };
      state.clients.set(actor.name, client);
      return { ledger: ledgerOf(state, client), claims: claimsOf(state, client) };
    },
  };
}

function nameOf({ clients }: Server, session: number | undefined): string | undefined {
  return [...clients.values()].find((one) => one.session === session)?.actor.name;
}

function rowOf({ rows }: Server, task: string): Row {
  const none = { head: 0, phase: 'open', outcome: null, campaign: 0 } as const;
  const row = rows.get(task) ?? { ...none, owner: undefined, since: 0, session: undefined };
  rows.set(task, row);
  return row;
}

function drop(state: Server, client: Client): void {
  client.isUp = false;
  state.present.delete(client.session);
  for (const [lock, session] of state.locks)
    if (session === client.session) state.locks.delete(lock);
}

/** Takes again what was held, unless another has it, or had it meanwhile. */
function reconnect(state: Server, client: Client): void {
  if (client.isUp) return;
  const before = client.session;
  client.session = state.sessions += 1;
  client.isUp = true;
  client.hasRung = true;
  if (client.isJoined) state.present.add(client.session);
  for (const { lock, task, loss } of client.held) {
    const row = task === undefined ? undefined : rowOf(state, task);
    const isOurs = !state.locks.has(lock) && (row === undefined || row.session === before);
    if (!isOurs) loss.abort(new ClaimLost(`${lock} was lost with the connection`));
    if (!isOurs) continue;
    state.locks.set(lock, client.session);
    if (row !== undefined) row.session = client.session;
  }
}

/** A statement, on a connection that is made again where it is lost; `done` finds out whether it had been carried out. */
async function ask<T>(
  state: Server,
  client: Client,
  what: string,
  { deed, done }: { readonly deed: () => T; readonly done?: () => T | undefined },
): Promise<T> {
  for (;;) {
    await state.schedule.step(client.actor, what);
    reconnect(state, client);
    const { session } = client;
    const answer = new Promise<T>((resolve) => {
      resolve(deed());
    });
    answer.catch(() => undefined);
    await state.schedule.step(client.actor, `${what} answered`);
    if (client.isUp && client.session === session) return answer;
    reconnect(state, client);
    const found = done?.();
    if (found !== undefined) return found;
  }
}

type Entry = Parameters<Ledger['append']>[0];

function ledgerOf(state: Server, client: Client): Ledger {
  const unused = (): Promise<never> => Promise.reject(new Error('not part of this test'));
  const read = <T>(what: string, deed: () => T): Promise<T> => ask(state, client, what, { deed });
  return {
    isShared: true,
    assertReadable: () => Promise.resolve(),
    history: () => read('history', () => [...state.events]),
    taskHistory: (_, task) =>
      read(`history ${task}`, () => state.events.filter((one) => one.task === task)),
    append: (entry, expected) => append(state, client, entry, expected),
    highestNumber: () => read('highest', () => state.highest),
    takeNumber: (_, above) =>
      read('number', () => (state.highest = Math.max(state.highest, above) + 1)),
    ...{ past: unused, sinceEnd: unused, refsTold: unused, restore: unused, plans: unused },
    ...{ post: unused, inbox: unused, take: unused },
    ...{ addPlan: unused, runs: unused, ofRun: unused, underWay: unused },
    knowsCommit: unused,
    underWayElsewhere: (_, worktree) => read('under way', () => underWay(state, worktree)),
    verdict: () => Promise.resolve(undefined),
    rememberVerdict: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function underWay({ rows, events }: Server, worktree: string): readonly UnderWay[] {
  const open = [...rows].filter(([, { phase }]) => phase !== 'open' && phase !== 'passed');
  return open.flatMap(([task]) => {
    const of = events.filter((one) => one.task === task);
    const begun = eventsOf({ events: of }, 'attempt.started').at(-1)?.event.worktree ?? '';
    return begun === worktree ? [] : [{ task, worktree: begun }];
  });
}

async function append(
  state: Server,
  client: Client,
  entry: Entry,
  expected: number | undefined,
): Promise<Recorded> {
  const lock = `task ${entry.task}`;
  const held = [...client.held].find((one) => one.lock === lock);
  const isFree = (): boolean => entry.task === '' || held !== undefined || !state.locks.has(lock);
  if (!isFree()) await state.schedule.until(client.actor, isFree, state.schedule.now() + 5000);
  const what = `append ${entry.event.type} ${entry.task}`;
  return ask(state, client, what, {
    deed: () => {
      held?.loss.signal.throwIfAborted();
      if (!isFree()) throw new StaleWrite(`${entry.task}: another worker has claimed it`);
      if (held === undefined) Object.assign(rowOf(state, entry.task), { session: client.session });
      const recorded = write(state, client, entry, expected);
      if (held === undefined)
        Object.assign(rowOf(state, entry.task), { owner: undefined, session: undefined });
      return recorded;
    },
    done: () => state.events.find((one) => one.event === entry.event && one.task === entry.task),
  });
}

function write(
  state: Server,
  client: Client,
  entry: Entry,
  expected: number | undefined,
): Recorded {
  const row = rowOf(state, entry.task);
  if (expected !== undefined && row.head !== expected)
    throw new StaleWrite(`${entry.task}: ${row.head} and not ${expected}`);
  if (entry.task !== '' && row.session !== client.session)
    throw new ClaimLost(`${entry.task}: another worker has claimed it`);
  const { from, to, outcome, isOfTeam } = stepOf(entry.event);
  if (!from.includes(row.phase))
    throw new Error(`'${entry.event.type}' of ${entry.task} cannot follow in phase ${row.phase}`);
  row.head += 1;
  if (to !== undefined) row.phase = to;
  if (outcome !== undefined) row.outcome = outcome;
  if (isOfTeam === true) row.campaign = state.campaign;
  const at = new Date(state.schedule.now()).toISOString();
  const recorded: Recorded = { ...entry, at, seq: row.head };
  state.events.push(recorded);
  return recorded;
}

function claimsOf(state: Server, client: Client): Claims {
  const say = <T>(what: string, deed: () => T): Promise<T> => ask(state, client, what, { deed });
  const isAlone = (): boolean => [...state.present].every((one) => one === client.session);
  return {
    join: () =>
      say('join', () => {
        const alone = isAlone();
        if (!state.isOpen) state.campaign += 1;
        state.isOpen = true;
        client.isJoined = true;
        state.present.add(client.session);
        return { isAlone: alone };
      }),
    leave: () =>
      say('leave', () => {
        if (isAlone()) state.isOpen = false;
        client.isJoined = false;
        state.present.delete(client.session);
      }),
    claim: async (_, among) => {
      const held = await say('claim', () => claim(state, client, among));
      if (held === undefined) return undefined;
      client.held.add(held);
      return { ...handleOf(state, client, held), task: held.task, isContinued: held.isContinued };
    },
    turn: (_, signal) => turn(state, client, signal),
    survey: () => say('survey', () => survey(state)),
    tell: () =>
      say('tell', () => {
        for (const one of state.clients.values()) one.hasRung = true;
      }),
    changed: async (ms, signal) => {
      const isOver = (): boolean => client.hasRung || signal.aborted;
      await state.schedule.until(client.actor, isOver, state.schedule.now() + ms);
      client.hasRung = false;
    },
    once: () => Promise.reject(new Error('not part of this test')),
  };
}

interface HeldTask extends Held {
  readonly task: string;
  readonly isContinued: boolean;
}

function claim(state: Server, client: Client, among: readonly string[]): HeldTask | undefined {
  for (const task of among) {
    const row = rowOf(state, task);
    const lock = `task ${task}`;
    const isOfTeam = row.campaign === state.campaign;
    const isOver = row.phase === 'passed' || row.outcome === 'failed' || row.outcome === 'blocked';
    if (state.locks.has(lock) || (isOfTeam && isOver)) continue;
    state.locks.set(lock, client.session);
    const since = state.schedule.now();
    Object.assign(row, { owner: client.actor.name, since, session: client.session });
    return { lock, task, isContinued: isOfTeam, loss: new AbortController() };
  }
  return undefined;
}

async function turn(
  state: Server,
  client: Client,
  signal: AbortSignal,
): Promise<BranchTurn | undefined> {
  const lock = 'turn';
  while (!signal.aborted) {
    const held = await ask(state, client, 'turn', {
      deed: (): Held | undefined => {
        if (state.locks.has(lock)) return undefined;
        state.locks.set(lock, client.session);
        return { lock, task: undefined, loss: new AbortController() };
      },
    });
    if (held !== undefined) {
      client.held.add(held);
      return handleOf(state, client, held);
    }
    const isOver = (): boolean => signal.aborted || !state.locks.has(lock);
    await state.schedule.until(client.actor, isOver, state.schedule.now() + 120);
  }
  return undefined;
}

function handleOf(
  state: Server,
  client: Client,
  held: Held,
): Pick<Claim, 'lost' | 'assertHeld' | 'release'> {
  const { lock, task, loss } = held;
  return {
    lost: loss.signal,
    assertHeld: async () => {
      const deed = (): boolean => state.locks.get(lock) === client.session;
      const isHeld = await ask(state, client, `assert ${lock}`, { deed });
      if (!isHeld) loss.abort(new ClaimLost(`${lock} was dropped`));
      loss.signal.throwIfAborted();
    },
    release: async () => {
      await state.schedule.step(client.actor, `release ${lock}`);
      const isHeld = client.held.delete(held) && !loss.signal.aborted && client.isUp;
      if (!isHeld) return;
      state.locks.delete(lock);
      if (task !== undefined)
        Object.assign(rowOf(state, task), { owner: undefined, session: undefined });
    },
  };
}

function survey(state: Server): Awaited<ReturnType<Claims['survey']>> {
  const rows = [...state.rows];
  return {
    held: rows.flatMap(([task, { owner, since, session }]) =>
      owner !== undefined && state.locks.get(`task ${task}`) === session
        ? [{ task, since: String(since), host: owner, pid: session ?? 0, run: owner }]
        : [],
    ),
    settled: new Map(
      rows.flatMap(([task, { campaign, outcome }]) =>
        campaign === state.campaign && (outcome === 'failed' || outcome === 'blocked')
          ? [[task, outcome] as const]
          : [],
      ),
    ),
  };
}

/** Where a task is in its life; throws where its history is impossible. */
export function stateOf(server: Pick<MemoryServer, 'ofTask'>, task: string): State {
  return replay(server.ofTask(task).flatMap((one) => (isOfTask(one) ? [one.event] : [])));
}

/** The events of one type, in order. */
export function eventsOf<T extends Event['type']>(
  { events }: Pick<MemoryServer, 'events'>,
  type: T,
): readonly Recorded<Extract<Event, { type: T }>>[] {
  return events.filter(
    (one): one is Recorded<Extract<Event, { type: T }>> => one.event.type === type,
  );
}
