/**
 * What a person asks for outside of an attempt: to put the branch elsewhere, to get kept work back, to have work set aside. A
 * port of its own beside Workspace, because the loop that works on a plan must not be able to do any of it.
 */
export interface Keeper {
  /** Checkpoints, start tags and refs of `undo` of a plan, with where they stand. */
  marks(plan: string): Promise<readonly Mark[]>;
  /**
   * The branch, work tree and index at another commit; what that takes off the branch is kept first. The tree has to be clean.
   * What stands in the way and no commit holds goes to quarantine. Throws Refusal(4) where that cannot be done.
   */
  moveBranch(plan: string, to: string): Promise<Moved>;
  /** A branch at a commit; one of that name with other content is left alone, and the next free number added. Gives its full name. */
  makeBranch(ref: string, commit: string): Promise<MadeBranch>;
  /** Lays what a kept attempt changed into the work tree; names the paths, having touched nothing, where that would overwrite something. */
  layOut(commit: string): Promise<LaidOut>;
  /** Takes uncommitted work, except paths that `isLeft` wants, out of work tree and index into commits under a ref. Undefined where there is none. Throws Refusal(3) for what git cannot hold. */
  setAside(plan: string, isLeft: (path: string) => boolean): Promise<string | undefined>;
  /** Puts back what is set aside, index included. Undefined where there is nothing. */
  putBack(): Promise<PutBack | undefined>;
  /** The ref of the work that is set aside; undefined where there is none. */
  whereAside(): string | undefined;
  /**
   * Clears the lock files of git that killed calls of ours left, and waits for those of others; both is told. The work tree's lock
   * has to be held. Throws Refusal(3), with nothing touched, where another's stands for longer than 10 s.
   */
  clearLocks(tell: (message: string) => Promise<void>): Promise<void>;
  /** Keeps `git gc` of others away, so that it prunes nothing that is not yet named by a ref; gives what ends that. */
  holdGc(tell: (message: string) => Promise<void>): Promise<() => void>;
  /** Ends what a killed command left half-done: a branch on its way. Gives what it did, in words. */
  finish(): Promise<readonly string[]>;
  /** Makes a branch the current one, at HEAD if there is none of that name. Throws Refusal (2: no name for a branch, 3: dirty tree, checked out elsewhere). */
  switchBranch(plan: string, name: string): Promise<Switched>;
  /** The linked worktree for isolated runs of a plan, on this branch (full name); made where there is none. Throws Refusal(3) where that cannot be. */
  openBeside(plan: string, branch: string): Promise<Beside>;
  /** Throws Refusal(3) where git is too old for slots, or one could not be made. */
  assertSlots(plan: string, count: number): Promise<void>;
  /** Worktrees in which a run of the plan works, or worked when it died, ahead of turns. */
  slots(plan: string): readonly SlotFolder[];
  /** Takes one away with all that lies in it, and its branch. Gives in words what stays because it could not be removed. */
  removeSlot(slot: SlotFolder): Promise<string | undefined>;
  /** Deletes branches of slots of the plan that are gone. */
  dropSlotBranches(plan: string): Promise<void>;
  /** The folder of a work tree of this repository by its id (`Workspace.id`); undefined where it is gone. */
  folderOf(worktree: string): Promise<string | undefined>;
  /** Whether a commit contains another. */
  contains(commit: string, other: string): Promise<boolean>;
}

export interface SlotFolder {
  /** Absolute. */
  readonly folder: string;
  /** Full name. */
  readonly branch: string;
  /** As Workspace.id. */
  readonly id: string;
}

export interface Beside {
  /** Absolute. */
  readonly folder: string;
  readonly notices: readonly string[];
}

export interface Mark {
  /** Full name. */
  readonly ref: string;
  readonly commit: string;
  /** HEAD contains it. */
  readonly isReached: boolean;
}

export interface Moved {
  /** The ref that keeps what left the branch; undefined where nothing did. */
  readonly kept: string | undefined;
  /** Commits that left the branch. */
  readonly left: number;
  readonly notices: readonly string[];
}

export interface MadeBranch {
  readonly ref: string;
  /** It stood there already, at this very commit. */
  readonly stood: boolean;
}

export type LaidOut =
  | { readonly kind: 'done'; readonly changed: number }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

export type PutBack = (
  | { readonly kind: 'done' }
  | { readonly kind: 'kept'; readonly ref: string; readonly paths: readonly string[] }
) & {
  /** Ignored files that were set aside too and cannot go back: where they lie now, for people. */
  readonly left: readonly string[];
};

export interface Switched {
  /** False where HEAD was on that branch already. */
  readonly moved: boolean;
  readonly notices: readonly string[];
  /** HEAD, work tree and index as they were; a branch that was made goes, unless somebody committed to it. */
  readonly back: () => Promise<void>;
}
