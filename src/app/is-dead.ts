import { openRun } from '../core/open-run.ts';
import type { RunReport } from '../core/run-report.ts';
import type { History } from './history.ts';

/** A run that is open died where nobody holds the lock, or another began after it. */
export function isDead({ run }: RunReport, { events }: History, isHeld: boolean): boolean {
  return run.status === undefined && !(isHeld && openRun(events) === run.run);
}
