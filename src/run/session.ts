import type { Agents, Checkpoint, Clock, Gates, Ledger, Processes, Workspace } from '../ports.ts';
import type { Snapshot } from '../core/events.ts';
import type { Plan } from '../core/plan/plan.ts';
import type { Mask } from '../core/mask.ts';
import type { Settings } from '../core/settings.ts';
import type { Config } from '../core/config.ts';
import type { CleanRoom } from './clean-room.ts';
import type { Journal } from './journal.ts';
import type { Purse } from './purse.ts';
import type { Roster } from './roster.ts';
import type { Steering } from './steering.ts';
import type { WaitBudget } from './wait-budget.ts';

/** What happens right now; shown, never stored. */
export interface Progress {
  readonly type: 'step';
  readonly task: string;
  readonly attempt: number;
  readonly attempts: number;
  readonly step: 'agent' | 'gate' | 'checkpoint' | 'rollback' | 'baseline' | 'wait' | 'pause';
  readonly name: string;
  /** What a wait waits for; ISO 8601, UTC. */
  readonly until?: string;
  /** When a pause was asked for; ISO 8601, UTC. */
  readonly since?: string;
}

export interface Ports {
  readonly workspace: Workspace;
  readonly agents: Agents;
  readonly gates: Gates;
  readonly ledger: Ledger;
  readonly processes: Processes;
  readonly clock: Clock;
}

/** Where gates run on nothing but the tree to be tagged; there with `setup:` or `tests:`. */
export interface CleanGround {
  readonly room: CleanRoom;
  readonly config: Config;
  /** All gates run there, and not only those on old tests. */
  readonly isWhole: boolean;
  /** Globs of tests. */
  readonly tests: readonly string[];
}

/** The turn of one task on a shared branch. */
export interface OnTurn {
  /** What was made ahead, as it can be read on this machine; undefined where it is nowhere to be had, or what it was made on was taken off the branch. */
  readonly work: Snapshot | undefined;
  /** Puts the checkpoint where all machines see it; undefined: it is there. Throws ClaimLost. */
  readonly publish: (checkpoint: Checkpoint) => Promise<'outpaced' | 'unpushed' | undefined>;
}

/** One run: everything that stays the same from its first event to its last. */
export interface Session {
  readonly ports: Ports;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly settings: Settings;
  /** Of what is written into commits and proofs; without it, nothing is masked. */
  readonly mask?: Mask;
  readonly waits: WaitBudget;
  readonly purse: Purse;
  /** Who works on the next attempt, as their providers let them. */
  readonly roster: Roster;
  readonly clean?: CleanGround;
  /** What people ask of it meanwhile; without it, nobody is heard. */
  readonly steering?: Steering;
  /** The highest checkpoint number that git's proofs know: a lost ledger must not use one again. */
  readonly highestProof: number;
  /** In a work tree beside the branch: what passes is kept for its turn, and no checkpoint is made. */
  readonly isAhead?: boolean;
  /** Work that passed ahead comes onto a branch that other machines move too: one attempt that judges, and no agent. */
  readonly onTurn?: OnTurn;
  /** The plan was edited, maybe by a commit: what a person has committed since is gone on from. */
  readonly followsBranch?: boolean;
  /** Whether the work tree was taken away, or replaced, by an agent that works beside it. */
  readonly isLost?: () => boolean;
  /** Of all that work at once, which one this is: 0…jobs-1; undefined, as 0, with one job. */
  readonly seat?: number;
  /** Aborts at the user's signal and at the end of max_time. */
  readonly signal: AbortSignal;
  /** True once the user, and not a limit, asked to stop. */
  readonly isInterrupted: () => boolean;
  readonly onProgress: (progress: Progress) => void;
  /** The plan with one task ticked (core/plan/tick.ts bound to its path). */
  readonly tick: (plan: Uint8Array, task: string) => Uint8Array;
  readonly differsInMarksOnly: (before: Uint8Array, now: Uint8Array) => boolean;
  /** Absolute folder for the logs of one attempt: logs/RUN/TASK/N. */
  readonly logFolder: (task: string, number: number) => string;
}
