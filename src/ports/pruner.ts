import type { OwnThing } from '../core/own-things.ts';

/** What `gc` and `doctor` see of a repository, and the only hands that may take away what was kept. */
export interface Pruner {
  /** Every ref below `refs/skeleton/`, without its weight. */
  refs(): Promise<readonly OwnRef[]>;
  /** Everything in the state folder; the folder of a run, an attempt or a work tree is one thing. */
  files(): readonly OwnThing[];
  /**
   * Bytes on disk of the objects that each of these refs holds and no other ref does; what could not be measured within
   * `limit` milliseconds, or by a git older than 2.31, is missing.
   */
  weigh(refs: readonly OwnRef[], limit: number): Promise<ReadonlyMap<string, number>>;
  /** The same of all of them together. */
  weighTogether(refs: readonly OwnRef[], limit: number): Promise<number | undefined>;
  worktrees(): readonly WorktreeEntry[];
  /** Remembers, for `show`, `log` and `restore`, what is about to go. `at` is ISO 8601. */
  note(things: readonly OwnThing[], at: string): void;
  /** All or none. Throws Refusal(3), with nothing changed, where one was moved meanwhile or git's lock is held. */
  deleteRefs(refs: readonly OwnRef[]): Promise<void>;
  /** Renames things of the state folder into its trash, then empties that. Gives what could not be removed, in words. */
  removeFiles(things: readonly OwnThing[]): readonly string[];
  /** Takes the whole state folder out of the way, in one rename; what it returns then empties it, as removeFiles does. */
  removeState(): () => readonly string[];
  /** Whether nothing at all would be lost with a linked worktree: no change, no untracked and no ignored file. */
  isClean(worktree: WorktreeEntry): Promise<boolean>;
  removeWorktree(worktree: WorktreeEntry): Promise<void>;
}

export interface OwnRef extends OwnThing {
  readonly oid: string;
}

/** A work tree as git has it registered. */
export interface WorktreeEntry {
  /** `Workspace.id`. */
  readonly id: string;
  /** Absolute; its top. */
  readonly folder: string;
  /** Full name; undefined where HEAD is detached. */
  readonly branch: string | undefined;
  readonly isMain: boolean;
  /** Its folder is not there, and nobody has locked the entry (git-worktree(1)). */
  readonly isGone: boolean;
  /** Records that lie there: of the last attempt, which may be over; of work set aside and of a moving branch, which are not. */
  readonly records: readonly ('attempt' | 'aside' | 'move')[];
}
