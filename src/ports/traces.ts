import type { OpenTrace, PlanTraces } from '../core/traces.ts';

export type TracesNow = (isKnown: (ref: string) => boolean) => Promise<PlanTraces>;

/** What git and the records of attempts tell of runs, for a ledger that was lost. Read-only. */
export interface Traces {
  /**
   * Of one plan, as it is now; to be asked for all but the attempts, tags and starts whose refs are known already. A history that
   * is read between the two knows all of it, whoever writes meanwhile.
   */
  of(plan: string): Promise<TracesNow>;
  /** Names of plans (PLAN) with their paths, as far as a proof, a snapshot or a record tells the path. */
  plans(): Promise<ReadonlyMap<string, string>>;
  /** The attempt that was under way in this work tree; undefined where none was. */
  openHere(): Promise<OpenTrace | undefined>;
}
