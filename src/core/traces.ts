/** What git holds of the runs of one plan, beside what the ledger says of them. */
import type { Recorded } from './events.ts';
import type { AttemptFacts } from './snapshot-words.ts';

/** The snapshot of an attempt that did not pass. */
export interface AttemptTrace {
  readonly ref: string;
  readonly commit: string;
  /** The task's slug. */
  readonly task: string;
  /** The N of `TASK#N`. */
  readonly number: number;
  /** The commit it began from. */
  readonly base: string;
  /** ISO 8601, UTC: when it was kept. */
  readonly at: string;
  readonly trailers: ReadonlyMap<string, string>;
}

/** A checkpoint's tag, its proof, or both. */
export interface CheckpointTrace {
  readonly number: number;
  /** Full name; undefined where it is gone. */
  readonly tag: string | undefined;
  readonly commit: string;
  readonly proof:
    { readonly ref: string; readonly object: string; readonly text: string } | undefined;
  readonly parent: string;
  readonly tree: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly trailers: ReadonlyMap<string, string>;
}

export interface StartTrace {
  readonly ref: string;
  readonly number: number;
  readonly commit: string;
}

/** An attempt that was under way in a work tree when its process died. */
export interface OpenTrace {
  /** Id of the work tree. */
  readonly worktree: string;
  readonly plan: string;
  /** The task's own id. */
  readonly id: string;
  readonly number: number;
  readonly planPath: string;
  readonly base: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly facts: AttemptFacts | undefined;
  /** A step of it has begun: before that, nothing was to be recorded. */
  readonly hasBegun: boolean;
  /** Of a person (`take`): the work tree is theirs. */
  readonly isTaken: boolean;
}

export interface PlanTraces {
  readonly attempts: readonly AttemptTrace[];
  readonly checkpoints: readonly CheckpointTrace[];
  readonly starts: readonly StartTrace[];
  readonly open: readonly OpenTrace[];
}

export function isNothing(traces: PlanTraces): boolean {
  return Object.values(traces).every(({ length }) => length === 0);
}

/** Refs that a history tells of, each to its end: snapshots, checkpoints' tags and proofs, starts. */
export function refsToldIn(history: readonly Recorded[]): ReadonlySet<string> {
  const told = new Set<string>();
  for (const { event } of history) {
    if (event.type === 'gates.passed') told.add(event.tag).add(event.proof);
    else if (event.type === 'rollback.done') told.add(event.snapshot.ref);
    else if (event.type === 'run.started') told.add(event.start);
  }
  return told;
}
