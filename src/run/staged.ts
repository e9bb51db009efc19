import type { Stage } from '../core/stages/stages.ts';
import type { Gate } from '../ports.ts';

/** The stage that an attempt is (docs/stages.md). */
export interface Staged {
  readonly stage: Stage;
  readonly nth: number;
  readonly of: number;
  /** A verdict stage: the nth of the working stage before it. */
  readonly reviews?: number;
  /** All of them. */
  readonly stages: readonly Stage[];
  /** The gates that judge the task in the end. */
  readonly all: readonly Gate[];
}
