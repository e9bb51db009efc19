import type { Event, Recorded } from '../core/events.ts';
import type { Note } from '../core/note.ts';
import type { PlanPast } from '../core/plan-past.ts';
import { Refusal } from './refusal.ts';

/** Thrown when another process has appended to this task meanwhile: this one must stop. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite';
}

/** The ledger's file cannot be trusted. Nothing was changed; what passed is in git's tags and proofs. */
export class LedgerDamaged extends Refusal {
  readonly path: string;
  readonly reason: string;
  constructor(path: string, reason: string) {
    super(
      3,
      `the ledger ${path} is damaged: ${reason}`,
      'skeleton run     keeps it beside, and makes a new one from what git knows',
    );
    this.name = 'LedgerDamaged';
    this.path = path;
    this.reason = reason;
  }
}

export interface RunRow {
  readonly run: string;
  readonly plan: string;
  readonly planPath: string;
  readonly startedAt: string;
  readonly finishedAt: string | undefined;
  readonly status: number | undefined;
}

export interface UnderWay {
  readonly task: string;
  /** Id of the work tree (`Workspace.id`). */
  readonly worktree: string;
}

/** The append-only record of runs, attempts and verdicts. */
export interface Ledger {
  /** Other machines write here too: who works on a task needs its claim. */
  readonly isShared: boolean;
  /** Reads every row, unless that was done when what stands there was written last. Throws LedgerDamaged. */
  assertReadable(): Promise<void>;
  /** Every event of a plan in order of writing, run-level ones included (task ''). */
  history(plan: string): Promise<readonly Recorded[]>;
  /** What that folds to, without what gates said: the end of each run keeps it, so that a long history costs little. */
  past(plan: string): Promise<PlanPast>;
  /** Events of one task, in order; of the runs as a whole for the task ''. */
  taskHistory(plan: string, task: string): Promise<readonly Recorded[]>;
  /** The last end of a run of a plan, and the whole history of each task that has gone on since, in order of writing. */
  sinceEnd(plan: string): Promise<readonly Recorded[]>;
  /** Refs that a plan's history tells of, each to its end: snapshots, checkpoints' tags and proofs, starts. */
  refsTold(plan: string): Promise<ReadonlySet<string>>;
  /**
   * Appends with seq = expectedSeq + 1; throws StaleWrite when that exists already. Undefined: after whatever is there, which is for
   * events of runs as a whole: where the ledger is shared, several runs write them. Durable when it returns.
   */
  append(
    entry: { run: string; plan: string; task: string; event: Event },
    expectedSeq: number | undefined,
  ): Promise<Recorded>;
  /** Appends what a plan's history has lost, all or nothing; `highest` is a checkpoint number that was handed out. */
  restore(
    plan: { readonly slug: string; readonly path: string },
    lost: {
      readonly entries: readonly Pick<Recorded, 'run' | 'at' | 'task' | 'event'>[];
      readonly highest: number;
    },
  ): Promise<void>;
  /** Plans that have history, with their file's path: `plan` slug → path. */
  plans(): Promise<ReadonlyMap<string, string>>;
  /** Binds a slug to a plan's path, once. */
  addPlan(plan: string, path: string): Promise<void>;
  /** Newest first. */
  runs(plan?: string): Promise<readonly RunRow[]>;
  /** Events of one run of a plan, in order of writing. */
  ofRun(plan: string, run: string): Promise<readonly Recorded[]>;
  /** The highest checkpoint number that was ever handed out for a plan; 0 for none. */
  highestNumber(plan: string): Promise<number>;
  /** Hands out a number, durably; never the same twice. */
  takeNumber(plan: string, above: number): Promise<number>;
  /** Tasks with an attempt begun in this work tree and neither checkpointed nor rolled back: what a dead run left. */
  underWay(worktree: string): Promise<readonly { readonly plan: string; readonly task: string }[]>;
  /** Tasks of a plan with such an attempt in any other work tree, and the id of that one. */
  underWayElsewhere(plan: string, worktree: string): Promise<readonly UnderWay[]>;
  /** Whether a checkpoint or a run's start of this plan stands at the commit. */
  knowsCommit(plan: string, commit: string): Promise<boolean>;
  /** Verdicts of gates on trees, by tree and gates hash. */
  verdict(tree: string, gatesHash: string): Promise<'pass' | 'fail' | undefined>;
  rememberVerdict(tree: string, gatesHash: string, verdict: 'pass' | 'fail'): Promise<void>;
  /** Puts a note into a plan's inbox, for the run that goes or the next one; needs no lock. Durable when it returns; an id that is there stays as it is. */
  post(plan: string, note: Note): Promise<void>;
  /** What lies there, in the order in which it came. */
  inbox(plan: string): Promise<readonly Note[]>;
  /** Takes notes out, whose ids these are: what they asked for is done, or recorded. */
  take(plan: string, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  readonly what: string;
}

export interface Lock {
  /** Throws Refusal(4) when the lock's file was deleted or replaced: the door stands open for another run. */
  assertHeld(): void;
  release(): void;
}

export interface Locks {
  /** Never waits. */
  acquire(name: string, what: string): Lock | { readonly heldBy: LockHolder | undefined };
  /** The living process that has said it holds the lock; takes nothing, makes no file, holds nobody up. Not to be asked by who holds it. */
  holderOf(name: string): LockHolder | undefined;
}
