import { describeFailure } from '../core/failure.ts';
import type { Outcome } from '../core/machine.ts';
import { describeRepeats, repeatsIn } from '../core/stagnation.ts';
import type { Life } from './life.ts';
import type { Session } from './session.ts';

/** Attempts that repeat themselves end the task before all of them are spent (`stagnation`). */
export function stagnated(
  outcome: Outcome,
  { events }: Pick<Life, 'events'>,
  { settings }: Pick<Session, 'settings'>,
): Outcome {
  if (outcome.type !== 'attempt.rejected') return outcome;
  const repeats = repeatsIn([...events, outcome]);
  if (repeats === undefined || repeats.times < settings.stagnation) return outcome;
  const { failure } = outcome;
  const detail = `${describeRepeats(repeats)}: ${describeFailure(failure)}`;
  const { gates } = failure;
  return { ...outcome, failure: { kind: 'stagnated', detail, ...(gates && { gates }) } };
}
