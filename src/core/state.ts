import type { Snapshot, StageOf, TaskEvent } from './events.ts';
import type { Failure, VoidReason } from './failure.ts';

/** Where a task is in its life (architecture.md, "The machine"). All of it is a fold over the task's events. */
export type State = Progress & Position;

export interface Progress {
  /** Attempts charged since the task was last begun anew: 0…5 (`take` may go beyond). */
  readonly charged: number;
  /** Attempts ever started: the N of `TASK#N`. */
  readonly number: number;
  /** What the last charged attempt died of; feedback for the next. */
  readonly lastFailure?: { readonly failure: Failure; readonly number: number };
  /** The stage that comes next, or that the attempt under way is; absent: the first. */
  readonly stage?: number;
  /** Kept work of the stages before it. */
  readonly work?: Snapshot;
}

/** The attempt under way. */
export interface Attempt {
  readonly base: string;
  readonly attempt: number;
  readonly attempts: number;
  readonly agent: string;
  readonly model?: string;
  readonly token: string;
  /** Kept work that it only judges again: as long as there is no verdict, that goes on. */
  readonly judges?: Snapshot;
  /** Absent where its task has no stages. */
  readonly staged?: StageOf;
}

export type Position =
  | { readonly phase: 'pending' | 'stopped'; readonly judge?: Snapshot; readonly why?: VoidReason }
  | (Attempt & { readonly phase: 'running'; readonly stage: number })
  | (Attempt & { readonly phase: 'gating' })
  | (Attempt & {
      readonly phase: 'checkpointing';
      readonly passed: Extract<TaskEvent, { type: 'gates.passed' }>;
    })
  | (Attempt & { readonly phase: 'rolling-back'; readonly ended: Ended })
  | { readonly phase: 'waiting'; readonly until: string }
  | { readonly phase: 'passed'; readonly commit: string; readonly tag: string }
  | { readonly phase: 'failed' };

export type Ended =
  | { readonly how: 'rejected'; readonly failure: Failure; readonly isLast?: true }
  | {
      readonly how: 'voided';
      readonly why: VoidReason;
      readonly until?: string;
      /** What the next attempt is told. */
      readonly failure?: Failure;
    };

export type Phase = State['phase'];
