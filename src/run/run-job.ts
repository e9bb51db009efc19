import type { RunCounts, TeamEnd } from '../core/events.ts';
import type { Task } from '../core/plan/plan.ts';

export interface RunJob {
  /** The pending tasks of this run, in the plan's order. */
  readonly tasks: readonly Task[];
  /** Ids whose positional wait is lifted. */
  readonly lifted: ReadonlySet<string>;
  /** The plan's bytes at the run's first base. */
  readonly plan: Uint8Array;
  /** Ids whose attempts were used up in a run that died: five means five, so this run does not begin them anew. */
  readonly usedUp: ReadonlySet<string>;
  /** The commit that the run begins at. */
  readonly base?: string;
}

export interface RunEnd {
  readonly why:
    | 'done'
    | 'failed'
    | 'interrupted'
    | 'limit'
    | 'gate-error'
    | 'signed-out'
    /** A remote did not take what had passed. */
    | 'unpushed'
    /** The plan was edited meanwhile, and this run cannot go on with it. */
    | 'plan-changed';
  readonly counts: RunCounts;
  /** Where several machines work on the plan: what became of it all, and not by this run alone. */
  readonly team?: TeamEnd;
}
