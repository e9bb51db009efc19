import { closed, full, worn } from '../core/machine-conditions.ts';
import type { Tidings } from '../core/notification.ts';
import { Interrupted, Refusal } from '../ports.ts';
import { interruption, type RunResult } from './carry-out.ts';

/** What becomes of a run, as those who are told hear it. */
export type Turn = Pick<Tidings, 'event' | 'status' | 'why' | 'mend' | 'waits'>;

/** How a run that ended by itself ended. */
export function endOfResult({ status, why, budget }: RunResult): Turn {
  if (budget !== undefined) return { event: 'budget', status, why: budget };
  return { event: eventOf(status), status, why };
}

function eventOf(status: RunResult['status']): Turn['event'] {
  if (status === 0) return 'done';
  if (status === 1) return 'failed';
  return status === 4 ? 'stopped' : 'interrupted';
}

/** What an error that ended it means (contract, "Exit status"). */
export function endOfError(error: unknown, signal: AbortSignal): Turn {
  if (error instanceof Interrupted) return { event: 'interrupted', status: interruption(signal) };
  if (error instanceof Refusal) {
    const { status, message: why, mend } = error;
    return { event: status === 4 ? 'stopped' : 'refused', status, why, mend };
  }
  const why = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if ([full, closed, worn].some((codes) => codes.has(code)))
    return { event: 'stopped', status: 4, why };
  return { event: 'bug', status: 70, why };
}
