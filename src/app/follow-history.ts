import { clock, openHouse, planPathIn, stampOfLedger, type House } from '../compose.ts';
import { openRun } from '../core/open-run.ts';
import { readHistory, type History } from './history.ts';
import { isPlanHeld } from './plan-holder.ts';

export interface FollowedHistory {
  readonly history: History;
  /** Whether a living process holds the plan's lock; only asked while a run is open. */
  readonly isHeld: boolean;
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
  let [seen, isTroubled]: [Seen | undefined, boolean] = [undefined, false];
  while (!signal.aborted) {
    let read: Seen | undefined;
    try {
      read = await lookAgain(house, options, seen);
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

interface Seen extends FollowedHistory {
  readonly stamp: string;
  readonly isOpen: boolean;
}

/** Undefined where nothing has changed. */
async function lookAgain(
  house: House,
  options: Parameters<typeof readHistory>[0],
  seen: Seen | undefined,
): Promise<Seen | undefined> {
  const stamp = await stampOfLedger(house.stateFolder);
  const isChanged = stamp !== seen?.stamp;
  if (!isChanged && !seen.isOpen) return undefined;
  // Asked before the reading: what its holder recorded last is in it then.
  const isHeld = await isPlanHeld(
    house,
    planPathIn(house.facts.top, options.cwd, options.planPath),
  );
  if (!isChanged && isHeld === seen.isHeld) return undefined;
  const history = await readHistory(options);
  return { stamp, history, isHeld, isOpen: openRun(history.events) !== undefined };
}
