import type { Recorded } from '../core/events.ts';
import type { Claims, Remote } from '../ports.ts';
import type { Session } from './session.ts';

/** Where a plan's branch stands on the remote, and the plan there. */
export interface Tip {
  readonly commit: string;
  readonly plan: Uint8Array;
  /** Ids that are ticked or skipped there: what is done is done for every machine. */
  readonly done: ReadonlySet<string>;
}

/** What a run has beside its session where several machines work on one plan (architecture.md, "Many at once"). */
export interface Team {
  readonly claims: Claims;
  readonly remote: Remote;
  /** Full name of the plan's branch, here and there. */
  readonly branch: string;
  /** Who we are, in words, for the fences. */
  readonly owner: string;
  /** Rejected attempts go to the remote too; they may hold secrets (`push_attempts`). */
  readonly givesAttempts: boolean;
  /** Whether a commit contains another. */
  readonly contains: (commit: string, other: string) => Promise<boolean>;
  /** Brings the branch here. Throws Refusal(4) where it is gone or was set back, or its plan is another one by now. */
  readonly look: () => Promise<Tip>;
  /** This machine's own work tree at a commit of the branch, with a session that knows nothing of where it was before. */
  readonly layOut: (commit: string) => Promise<Session>;
  /** At the end: the work tree at the branch's tip, whoever moved it last. Gives the full name of the checkpoint there, else the commit. */
  readonly settle: () => Promise<string>;
  /** What an attempt that cannot be written down any more has left in the work tree is kept here, and undone. */
  readonly leaveTree: () => Promise<void>;
  /** Gets what a worker that is gone has written about a task, before more is. */
  readonly onEarlier: (event: Recorded) => void;
  /** Tells the person, and nobody else. */
  readonly say: (message: string) => void;
}
