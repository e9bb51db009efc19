import type { Plan, Task } from '../core/plan/plan.ts';

/** The plan's file in the run's work tree, which a person may edit between two tasks (docs/steering.md). */
export interface PlanWatch {
  /** Whether it holds these bytes. Asks git nothing. */
  readonly isStill: (bytes: Uint8Array) => Promise<boolean>;
  /** As it lies there now, with the tasks of it that this run works on. */
  readonly read: () => Promise<PlanEdit>;
  /** Writes it with these tasks marked as skipped, as far as it has them. */
  readonly markSkipped: (tasks: readonly string[]) => Promise<void>;
}

export type PlanEdit =
  | {
      readonly kind: 'fit';
      readonly plan: Plan;
      readonly bytes: Uint8Array;
      /** Pending and selected, in its order. */
      readonly tasks: readonly Task[];
    }
  /** The run cannot go on with it. */
  | { readonly kind: 'unfit'; readonly problems: readonly string[] };
