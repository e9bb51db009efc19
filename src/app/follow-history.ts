import { clock, openHouse, openStamp, planPathIn, type House } from '../compose.ts';
import { openRuns } from '../core/open-run.ts';
import { readHistory, type History } from './history.ts';
import { isSame, livingRuns, type Living } from './plan-holder.ts';

export interface FollowedHistory {
  readonly history: History;
  /** Who is at work on the plan; only asked while a run is open. */
  readonly living: Living;
}

/** Milliseconds between two looks at the ledger's files. */
const POLL = 300;

/**
 * A plan's history as it is now, and again whenever something was written, by whichever process, or the process of a run that is open
 * has gone, until the signal aborts. Nobody is held up by it. What the first reading throws is thrown (as readHistory); later on, a
 * reading that fails is told to `trouble`, once in a row, and tried again: an attempt may have shut the repository for a while.
 */
export async function* followHistory(
  options: Parameters<typeof readHistory>[0],
  signal: AbortSignal,
  trouble: (error: unknown) => void = () => undefined,
): AsyncGenerator<FollowedHistory, void, void> {
  const house = await openHouse(options.cwd, options.env);
  const stamp = openStamp(house);
  const look = async (seen: Seen | undefined): Promise<Seen | undefined> =>
    lookAgain({ house, options, stamp: await stamp.read() }, seen);
  try {
    yield* looks(look, signal, trouble);
  } finally {
    await stamp.close();
  }
}

async function* looks(
  look: (seen: Seen | undefined) => Promise<Seen | undefined>,
  signal: AbortSignal,
  trouble: (error: unknown) => void,
): AsyncGenerator<FollowedHistory, void, void> {
  let [seen, isTroubled]: [Seen | undefined, boolean] = [undefined, false];
  while (!signal.aborted) {
    let read: Seen | undefined;
    try {
      read = await look(seen);
      [seen, isTroubled] = [read ?? seen, false];
    } catch (error) {
      if (seen === undefined) throw error;
      if (!isTroubled) trouble(error);
      isTroubled = true;
    }
    if (read !== undefined) yield read;
    await clock.sleep(POLL, signal);
  }
}

interface Looking {
  readonly house: House;
  readonly options: Parameters<typeof readHistory>[0];
  readonly stamp: string;
}

interface Seen extends FollowedHistory {
  readonly stamp: string;
  readonly isOpen: boolean;
}

/** Undefined where nothing has changed. */
async function lookAgain(
  { house, options, stamp }: Looking,
  seen: Seen | undefined,
): Promise<Seen | undefined> {
  const isChanged = stamp !== seen?.stamp;
  // The stamp of a shared ledger tells of its workers too.
  if (!isChanged && (house.shared !== undefined || !seen.isOpen)) return undefined;
  // Asked before the reading: what its holder recorded last is in it then.
  const path = planPathIn(house.facts.top, options.cwd, options.planPath);
  const living = await livingRuns(house, path);
  if (!isChanged && isSame(living, seen.living)) return undefined;
  const history = await readHistory(options);
  return { stamp, history, living, isOpen: openRuns(history.events).size > 0 };
}
