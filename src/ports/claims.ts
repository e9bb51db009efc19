/**
 * Who works on what, among all machines that share a ledger. A claim is liveness only, dropped by the ledger's server when its worker
 * dies; what a worker that lost one does cannot be written, and not be pushed either (expected sequence, fence).
 */

/** The claim of a task is lost, and another worker may have it now: whoever had it stops, and writes nothing. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** A worker, as it told the server of itself. */
export interface Worker {
  readonly host: string;
  readonly pid: number;
  readonly run: string;
}

export interface TaskHolder extends Worker {
  readonly task: string;
  /** ISO 8601, UTC, by the server's clock. */
  readonly since: string;
}

export interface Claim {
  readonly task: string;
  /** An attempt of it has begun since the team began: its count goes on, and where it has failed, that stands. */
  readonly isContinued: boolean;
  /** Aborts, with what happened as its reason, as soon as the claim is known to be lost. */
  readonly lost: AbortSignal;
  /** Asks the server. Throws ClaimLost; Refusal(3) where the server cannot be reached for good. */
  assertHeld(): Promise<void>;
  /** Safe to repeat. */
  release(): Promise<void>;
}

/** The right to move the plan's branch, which one worker at a time has. */
export interface BranchTurn {
  /** As of Claim. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/** A plan as the ledger's server sees it now. */
export interface TeamSurvey {
  /** Tasks that are held by anybody, one's own included. */
  readonly held: readonly TaskHolder[];
  /** Tasks that ended without a checkpoint since the team began. */
  readonly settled: ReadonlyMap<string, 'failed' | 'blocked'>;
}

/**
 * A team is all workers that are at work on a plan at the same time, and those that join before the last of them has ended: a task
 * that failed is taken up again by the next team only. A worker that dies ends nothing.
 */
export interface Claims {
  /** Begins to work on a plan; `tasks`: its ids, in order. `isAlone`: nobody else is at work on it now. */
  join(plan: string, tasks: readonly string[]): Promise<{ readonly isAlone: boolean }>;
  /** Ends that; the last one ends the team. */
  leave(plan: string): Promise<void>;
  /** Claims the first of the tasks that nobody holds, and that neither passed nor was settled since the team began. Never waits. */
  claim(plan: string, among: readonly string[]): Promise<Claim | undefined>;
  /** Waits until it is this worker's turn, or the signal aborts (then undefined). */
  turn(plan: string, signal: AbortSignal): Promise<BranchTurn | undefined>;
  survey(plan: string): Promise<TeamSurvey>;
  /** Tells all others that something has changed: a task passed, failed, or was let go. */
  tell(plan: string): Promise<void>;
  /** Resolves when somebody has told, at the latest after so many milliseconds; a death tells nobody. */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  /** The right to do what a key stands for (`--once`), until this process ends; else who has it. */
  once(plan: string, key: string): Promise<{ readonly heldBy: Worker | undefined } | undefined>;
}
