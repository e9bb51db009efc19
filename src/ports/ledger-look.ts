import type { TaskHolder } from './claims.ts';

/** What the server of a shared ledger says of itself, and of what this role may do there. */
export interface LedgerServer {
  /** As `15.18`. */
  readonly version: string;
  readonly role: string;
  /** Version of our schema there; 0: none yet. Undefined: this role may not read it. */
  readonly schema: number | undefined;
  /** The newest that this program knows. */
  readonly knownSchema: number;
  /** What the role may not do and a run has to, as `insert on skeleton.event`. */
  readonly lacking: readonly string[];
  /** Of one question and its answer. */
  readonly milliseconds: number;
}

/** Who is at work on a plan now. */
export interface PlanWork {
  /** A task is worked on exactly when its lock is held. */
  readonly held: readonly TaskHolder[];
  /** Ids of the runs that are at work, those between two tasks included. */
  readonly runs: readonly string[];
}

/**
 * A shared ledger as it is looked at from outside: takes no claim, writes nothing, and makes nothing where there is no ledger yet. Throws
 * Refusal(3) where the server does not answer.
 */
export interface LedgerLook {
  work(plan: string): Promise<PlanWork>;
  /** Changes whenever the project's history was written to, or somebody took or let go a task of it. */
  stamp(): Promise<string>;
  server(): Promise<LedgerServer>;
  close(): Promise<void>;
}
