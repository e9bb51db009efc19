import type { RunReport } from '../core/run-report.ts';
import type { History } from './history.ts';
import { isAlive, type Living } from './plan-holder.ts';

/** A run that is open died where nobody is at work on it: its process is gone, or another began after it. */
export function isDead({ run }: RunReport, { events }: History, living: Living): boolean {
  return run.status === undefined && !isAlive(run.run, living, events);
}
