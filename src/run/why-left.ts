import { spellLimit } from '../core/duration.ts';
import type { TaskEvent, TaskOutcome } from '../core/events.ts';
import type { State } from '../core/machine.ts';
import { lastLimit, spellLimited } from '../core/waiting.ts';
import type { Session } from './session.ts';

/** Why a run leaves a task as it is, for people; undefined where its outcome says all. */
export function whyLeft(
  { state, events }: { readonly state: State; readonly events: readonly TaskEvent[] },
  outcome: TaskOutcome,
  session: Session,
): string | undefined {
  if (outcome === 'failed' && state.phase === 'pending') return 'no attempt is left';
  if (outcome !== 'stopped') return undefined;
  const { signal, settings } = session;
  if (signal.aborted)
    return session.isInterrupted()
      ? undefined
      : `the run reached max_time (${spellLimit(settings.maxTime)})`;
  return (
    session.purse.whyStopped() ?? session.roster.whyShut() ?? whyNotWaited(state, events, session)
  );
}

function whyNotWaited(
  state: State,
  events: readonly TaskEvent[],
  { waits, settings }: Session,
): string | undefined {
  if (state.phase !== 'waiting' || !waits.wasExceeded()) return undefined;
  const until = `${state.until.slice(0, 16).replace('T', ' ')} UTC`;
  const most = spellLimit(settings.maxWait);
  const limited = spellLimited(lastLimit(events) ?? state, until);
  return `${limited}; to wait for that goes beyond max_wait (${most} in all)`;
}
