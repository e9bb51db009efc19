import type { Outcome } from '../core/machine.ts';
import type { Session } from './session.ts';

/** What a stop makes of the attempt under way: the user's wish, or the end of max_time. */
export function voided(session: Session): Outcome {
  return { type: 'attempt.voided', why: session.isInterrupted() ? 'interrupted' : 'over-budget' };
}
