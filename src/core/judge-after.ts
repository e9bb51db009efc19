import type { Snapshot } from './events.ts';
import { goesOn, type VoidReason } from './failure.ts';

interface Work {
  /** What the voided attempt itself only judged. */
  readonly judges: Snapshot | undefined;
  /** What it left; undefined where its work tree was gone. */
  readonly kept: Snapshot | undefined;
}

/** Work that is done, and that the next attempt only judges. */
export function judgeAfter(why: VoidReason, { judges, kept }: Work): Snapshot | undefined {
  switch (why) {
    case 'ahead':
      return kept;
    case 'outpaced':
      return judges;
    case 'gate-error':
      return judges ?? kept;
    default:
      return goesOn.has(why) ? undefined : judges;
  }
}
