import {
  clock,
  openHouse,
  openStamp,
  planPathIn,
  type Environment,
  type House,
} from '../compose.ts';
import type { Recorded } from '../core/events.ts';
import type { Ledger, RunRow } from '../ports.ts';
import { livingRuns } from './plan-holder.ts';
import { withLedger, type Read } from './read-ledger.ts';
import { slugOf } from './whole-ledger.ts';

export type FollowedRun =
  /** No run goes on: the next one is waited for. `last` is the newest there was; `damage`: why the ledger does not tell. */
  | {
      readonly kind: 'waiting';
      readonly last: RunRow | undefined;
      readonly damage: string | undefined;
    }
  | { readonly kind: 'event'; readonly recorded: Recorded }
  /** Its process is gone, and no end of it was recorded. */
  | { readonly kind: 'died'; readonly run: string };

/** Milliseconds between two looks. */
const POLL = 300;

interface Following {
  readonly house: House;
  readonly planPath: string;
  readonly signal: AbortSignal;
}

/**
 * The events of a plan's run that goes on, from its first, as they are recorded, by whichever process; of the next one where none
 * goes on. Ends with the run, or when the signal aborts. Takes no lock and holds nobody up. Throws Refusal(3) where there
 * is no repository. In a ledger that is damaged, no run is recorded.
 */
export async function* followRun(
  options: { readonly cwd: string; readonly planPath?: string; readonly env: Environment },
  signal: AbortSignal,
): AsyncGenerator<FollowedRun, void, void> {
  const house = await openHouse(options.cwd, options.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const following = { house, planPath, signal };
  const begun = clock.now();
  const looked = await look(following, newestRun);
  const first = looked.kind === 'read' ? looked.value : undefined;
  let run = first !== undefined && (await goesOn(following, first)) ? first.run : undefined;
  if (run === undefined) yield { kind: 'waiting', last: first, damage: damageOf(looked) };
  // A run that mends the ledger writes down again what git knows of earlier ones: they are not followed.
  const isNew = ({ run: id, startedAt }: RunRow): boolean =>
    damageOf(looked) === undefined ? id !== first?.run : startedAt >= begun;
  run ??= await nextRun(following, isNew);
  if (run !== undefined) yield* eventsOf(following, run);
}

async function nextRun(
  following: Following,
  isNew: (row: RunRow) => boolean,
): Promise<string | undefined> {
  for await (const isChanged of changes(following)) {
    const newest = isChanged ? await found(following, newestRun) : undefined;
    if (newest !== undefined && isNew(newest)) return newest.run;
  }
  return undefined;
}

async function* eventsOf(following: Following, run: string): AsyncGenerator<FollowedRun> {
  let told = 0;
  for await (const isChanged of changes(following)) {
    // Asked before the reading: what it recorded last is in it then.
    const isLiving = await seemsAlive(following, run, isChanged);
    if (!isChanged && isLiving) continue;
    const events = (await found(following, (ledger, plan) => ledger.ofRun(plan, run))) ?? [];
    for (const recorded of events.slice(told)) yield { kind: 'event', recorded };
    told = Math.max(told, events.length);
    if (events.some(({ event }) => event.type === 'run.finished')) return;
    if (isLiving) continue;
    yield { kind: 'died', run };
    return;
  }
}

/** At each look, whether something was written since the one before; true at the first. Ends when the signal aborts. */
async function* changes({ house, signal }: Following): AsyncGenerator<boolean, void, void> {
  const stamp = openStamp(house);
  try {
    let seen: string | undefined;
    while (!signal.aborted) {
      const now = await stamp.read();
      yield now !== seen;
      seen = now;
      await clock.sleep(POLL, signal);
    }
  } finally {
    await stamp.close();
  }
}

async function look<T>(
  { house, planPath }: Following,
  work: (ledger: Ledger, plan: string) => Promise<T>,
): Promise<Read<T>> {
  return withLedger(house, async (ledger) =>
    work(ledger, await slugOf(house, planPath, await ledger.plans())),
  );
}

async function found<T>(
  following: Following,
  work: (ledger: Ledger, plan: string) => Promise<T>,
): Promise<T | undefined> {
  const read = await look(following, work);
  return read.kind === 'read' ? read.value : undefined;
}

function damageOf(read: Read<unknown>): string | undefined {
  return read.kind === 'lost' ? read.why : undefined;
}

async function newestRun(ledger: Ledger, plan: string): Promise<RunRow | undefined> {
  return (await ledger.runs(plan))[0];
}

async function goesOn(following: Following, { run, finishedAt }: RunRow): Promise<boolean> {
  return finishedAt === undefined && (await isAlive(following, run));
}

/** What writes lives; the stamp of a shared ledger, which others write too, changes with its workers. */
async function seemsAlive(following: Following, run: string, isChanged: boolean): Promise<boolean> {
  const isShared = following.house.shared !== undefined;
  return isChanged === isShared ? isAlive(following, run) : true;
}

/** In a ledger of this repository alone, whoever is at work is at work on the last run. */
async function isAlive({ house, planPath }: Following, run: string): Promise<boolean> {
  const living = await livingRuns(house, planPath);
  return typeof living === 'string' ? living === 'last' : living.has(run);
}
