import type { Failure, VoidReason } from './failure.ts';
import type { Finding } from './stages/verdict.ts';
import type { Usage } from './usage.ts';

/** What a gate said of a tree. `error` is exit 75: the gate itself could not judge. */
export type Verdict = 'pass' | 'fail' | 'error' | 'timeout' | 'skipped';

export interface GateResult {
  readonly name: string;
  readonly command: string;
  readonly verdict: Verdict;
  /** How the process ended, in words: `exit 1`, `signal SIGSEGV`, `not found`, `not executable`, `timeout`, or why it was skipped. */
  readonly ended: string;
  /** Exit status; null where there was none (a signal, a timeout, skipped). */
  readonly exit: number | null;
  readonly seconds: number;
  /** A soft gate's rejection is a notice, not a rejection. */
  readonly soft: boolean;
  /** `sha256:HEX` of all output. */
  readonly digest: string;
  /** The lines that matter: first and last lines of the output, control characters made visible, bounded. */
  readonly tail: string;
  /** Full output, relative to the state folder; '' if the gate did not run. */
  readonly log: string;
}

export interface RunCounts {
  readonly passed: number;
  readonly failed: number;
  readonly blocked: number;
  readonly skipped: number;
  readonly unjudged: number;
  readonly pending: number;
}

/** What stands where a tree was judged or kept. */
export interface Snapshot {
  readonly ref: string;
  readonly commit: string;
}

/** An agent that its provider has turned away. */
export interface Limited {
  /** ISO 8601, UTC: it is not asked before. */
  readonly until: string;
  readonly agent?: string;
  /** `overload`: or its provider cannot be reached. */
  readonly why?: 'limit' | 'overload';
  /** Its provider named no time: the pause is our own. */
  readonly own?: true;
}

/** Which of its task's stages an attempt is (docs/stages.md). */
export interface StageOf {
  /** From 0. */
  readonly nth: number;
  readonly name: string;
  readonly of: number;
  /** A verdict stage: the nth of the working stage whose work it reviews. */
  readonly reviews?: number;
}

/** Events of one task; the machine folds them (core/machine.ts). Names and fields are the contract's ("Events"). */
export type TaskEvent =
  | {
      readonly type: 'task.started';
      readonly title: string;
      readonly line: number;
      /** What tells the text that is worked on from another (core/text-mark.ts). */
      readonly mark?: string;
    }
  | {
      readonly type: 'attempt.started';
      /** Counts every attempt of the task over all runs: the N of `TASK#N`. */
      readonly number: number;
      /** 1…5, what the agent sees and the trailer says. */
      readonly attempt: number;
      readonly attempts: number;
      /** The commit it starts from and is rolled back to. */
      readonly base: string;
      readonly agent: string;
      /** Token in the environment of every process of this attempt. */
      readonly token: string;
      /** Id of the work tree it runs in (`Workspace.id`). */
      readonly worktree: string;
      /** SKELETON_SLOT, with more than one job. */
      readonly slot?: number;
      /** Judged again without the agent: work of an attempt that a gate error cut off. */
      readonly judge?: Snapshot;
      /** The rejected attempt whose files it begins with (`retry: continue`). */
      readonly continues?: Snapshot;
      /** In the agent's own words; absent: its default. */
      readonly model?: string;
      /** Absent where the task has no stages. */
      readonly stage?: StageOf;
      /** Kept work of the stages before, which lies in the work tree. */
      readonly onto?: Snapshot;
    }
  | {
      readonly type: 'agent.finished';
      readonly seconds: number;
      readonly ended: string;
      readonly exit: number | null;
      readonly log: string;
      /** As far as the agent reports it. */
      readonly usage?: Usage;
      /** The agent's own name of the conversation. */
      readonly session?: string;
      /** `sha256:HEX` of all that decides what the agent does (core/attempt-key.ts). */
      readonly key?: string;
    }
  /** A verdict stage's answer, on the tree of the work that it was shown. */
  | {
      readonly type: 'review.finished';
      readonly verdict: 'pass' | 'block';
      readonly findings: readonly Finding[];
      readonly tree: string;
    }
  | ({ readonly type: 'agent.throttled' } & Limited & {
        /** Who goes on instead, at once. */
        readonly next?: string;
        /** The run waits for it, as far as that is known now. */
        readonly waits?: true;
      })
  | ({ readonly type: 'gate.finished' } & GateResult)
  | {
      readonly type: 'gates.passed';
      readonly commit: string;
      readonly tag: string;
      /** The proof ref and the tag object it is to hold. */
      readonly proof: string;
      readonly proofObject: string;
      readonly gates: readonly GateResult[];
      /** The tree before any gate ran, the tick included. */
      readonly left?: string;
      /** Known from git alone, because the ledger was lost: unproven until it is verified. */
      readonly rebuilt?: true;
    }
  | {
      readonly type: 'attempt.rejected';
      readonly failure: Failure;
      /** A review's last round: the task has no attempt more. */
      readonly isLast?: true;
      /** The tree before any gate ran, the tick included; absent where it came to none. */
      readonly left?: string;
    }
  | {
      readonly type: 'attempt.voided';
      readonly why: VoidReason;
      readonly until?: string;
      /** Sent back: what the next attempt is told. */
      readonly failure?: Failure;
      /** `stage`: the tree that it left, the tick included. */
      readonly left?: string;
      /** `ahead`: what its gates judged, and the digest of those gates. */
      readonly judged?: { readonly tree: string; readonly gatesHash: string };
    }
  | { readonly type: 'rollback.done'; readonly snapshot: Snapshot; readonly kept?: boolean }
  | { readonly type: 'checkpoint.created'; readonly tag: string; readonly commit: string }
  /** `verify` has judged it again, and it holds. */
  | { readonly type: 'checkpoint.verified'; readonly tag: string; readonly commit: string }
  | { readonly type: 'wait.over' }
  /** A person's note, for the prompts of the attempts that follow until the task passes. */
  | {
      readonly type: 'task.told';
      /** Id of the note in the inbox: one note is told once. */
      readonly note: string;
      readonly text: string;
      readonly by: string;
    }
  /** A later run takes the task up again: `anew` starts the count at 1 (it had failed, or its checkpoint was undone). */
  | { readonly type: 'task.reopened'; readonly anew: boolean }
  | { readonly type: 'task.finished'; readonly state: TaskOutcome; readonly why?: string }
  | { readonly type: 'notice'; readonly message: string };

export type TaskOutcome = 'passed' | 'unjudged' | 'failed' | 'blocked' | 'stopped' | 'skipped';

/** Events of the run as a whole; kept under the empty task id. */
export type RunEvent =
  | {
      readonly type: 'run.started';
      readonly schema: 1;
      readonly plan: string;
      readonly base: string;
      readonly branch: string;
      /** The start tag that this run made; '' where the run began at a checkpoint or an earlier start. */
      readonly start: string;
      readonly options: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'baseline.finished';
      readonly verdict: 'pass' | 'fail' | 'skipped';
      readonly gates: readonly GateResult[];
    }
  | { readonly type: 'notice'; readonly message: string }
  /** It waits until `skeleton resume`; `since`: ISO 8601, when that was asked for. */
  | { readonly type: 'run.paused'; readonly since: string; readonly by: string }
  | { readonly type: 'run.resumed' }
  /** A plan that was edited between two tasks, as it is worked on from here on. */
  | {
      readonly type: 'plan.changed';
      /** Holds it. */
      readonly commit: string;
      /** Ids of tasks. */
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  | {
      readonly type: 'run.finished';
      readonly status: number;
      readonly why?: string;
      readonly counts: RunCounts;
      readonly team?: TeamEnd;
    };

/** What the end of a run says beside its own work where several machines work on one plan. */
export interface TeamEnd {
  /** Where the run's work tree is: the full name of a tag, or a commit; '' where it was left alone. */
  readonly tree: string;
  /** Ids of the tasks that failed for good, whoever worked on them. */
  readonly failed: readonly string[];
}

export type Event = TaskEvent | RunEvent;

/** An event as the ledger holds it and `--json` prints it. */
export interface Recorded<E extends Event = Event> {
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly plan: string;
  /** '' for events of the run as a whole. */
  readonly task: string;
  /** 1, 2, 3… per (plan, task). */
  readonly seq: number;
  readonly event: E;
}
