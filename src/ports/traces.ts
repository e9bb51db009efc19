import type { OpenTrace, PlanTraces } from '../core/traces.ts';

/** What git and the records of attempts tell of runs, for a ledger that was lost. Read-only. */
export interface Traces {
  /** Of one plan, without attempts, tags and starts whose refs are known already. */
  of(plan: string, isKnown: (ref: string) => boolean): Promise<PlanTraces>;
  /** Names of plans (PLAN) with their paths, as far as a proof, a snapshot or a record tells the path. */
  plans(): Promise<ReadonlyMap<string, string>>;
  /** The attempt that was under way in this work tree; undefined where none was. */
  openHere(): Promise<OpenTrace | undefined>;
}
