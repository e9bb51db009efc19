import type { Snapshot } from '../core/events.ts';
import type { Failure } from '../core/failure.ts';
import type { Ended } from '../core/machine.ts';
import type { AttemptFacts } from '../core/snapshot-words.ts';

/** What a run must know of the repository before it starts. */
export interface RepositoryFacts {
  /** Absolute path of the top of the work tree. */
  readonly top: string;
  /** Absolute; the repository's own, shared by its linked worktrees. */
  readonly commonDir: string;
  /** Absolute; of this work tree. */
  readonly gitDir: string;
  /** Full name, `refs/heads/main`; undefined when HEAD is detached. */
  readonly branch: string | undefined;
  /** Undefined when there is no commit yet. */
  readonly head: string | undefined;
}

/** One path that differs from HEAD, as `git status --porcelain` would name it (`??`, ` M`, `A `…). */
export interface DirtyPath {
  readonly code: string;
  readonly path: string;
  /** The user's index hides the change from `git status` (git-update-index(1)). */
  readonly flag?: 'assume-unchanged' | 'skip-worktree';
}

/** A commit, in the order of its parents' tree: what changed between two trees. */
export interface ChangedPath {
  readonly path: string;
  /** Added, Modified (mode changes too), Deleted, Type changed. */
  readonly status: 'A' | 'M' | 'D' | 'T';
}

/** What an attempt left, looked at: either a tree that gates may judge, or why it cannot pass. */
export type Inspection =
  | {
      readonly kind: 'candidate';
      /** Exactly the tree to be tagged, the task's tick included. It also lies in the work tree now. */
      readonly tree: string;
      readonly changed: readonly ChangedPath[];
      readonly notices: readonly string[];
      /** The agent's newest commit, where `keepCommits` asks for its history and it goes on from the base. */
      readonly commits?: string;
    }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly notices: readonly string[] };

/** Who the attempt is: names its refs, its quarantine folder and its record. */
export interface AttemptId {
  readonly plan: string;
  /** The task's slug. */
  readonly task: string;
  /** The task's own id, as the plan has it. */
  readonly id: string;
  readonly number: number;
  /** Written down where it begins, for a ledger that is lost meanwhile. */
  readonly facts?: AttemptFacts;
  /** How it ended, for the words of its snapshot. */
  readonly ended?: Ended;
}

/** The bytes of the plan file where the attempt began, and with the task ticked. */
export interface PlanBytes {
  readonly path: string;
  readonly before: Uint8Array;
  readonly ticked: Uint8Array;
  /** True when `now` differs from `before` in marks only: such a change is put back, not punished. */
  readonly differsInMarksOnly: (before: Uint8Array, now: Uint8Array) => boolean;
}

/** What an attempt may and may not do to the tree (contract, "Gates"). */
export interface AttemptRules {
  readonly plan: PlanBytes;
  readonly protect: readonly string[];
  /** Scripts that the gates' commands start, wherever they lie: not to be changed or deleted. */
  readonly judges: readonly string[];
  /** With false, files that match `protect` may be added, but not changed or deleted. */
  readonly protectNew: boolean;
  readonly mayChange: readonly string[];
  readonly allowEmpty: boolean;
  /** The agent's own commits stay in the history, below the checkpoint. */
  readonly keepCommits: boolean;
  /** Names of variables, `*` for any part, whose values files may hold. */
  readonly notSecret?: readonly string[];
  /** Bytes. */
  readonly maxFile: number;
  /** A person's commits on the branch, made since we last looked, are gone on from; without it they end the run. */
  readonly followsBranch?: boolean;
}

export interface CommitMessage {
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
}

export interface Checkpoint {
  readonly commit: string;
  readonly base: string;
  /** Full ref names. */
  readonly tag: string;
  readonly proof: string;
  readonly proofObject: string;
}

/** A path of the work tree as it lies on disk. `other`: a symlink, folder, FIFO…, named in words; it was not opened. */
export type WorkFile =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly ignored: boolean }
  | { readonly kind: 'missing' }
  | { readonly kind: 'other'; readonly what: string };

/** What an attempt had left in the work tree. */
export interface LeftBehind {
  /** A tree or a commit; with the task ticked or not. */
  readonly tree: string;
  /** Where its exact bytes are kept beside it. */
  readonly snapshot?: Snapshot | undefined;
  /** What lies in the work tree already, where the attempt began. */
  readonly over?: Snapshot | undefined;
}

/** One work tree of one repository. The only thing that changes git (architecture.md, "Order of writes"). */
export interface Workspace {
  readonly facts: RepositoryFacts;
  /** Throws Refusal(3) for what forbids a run: detached HEAD, no commit, no identity, an unfinished merge, rebase, cherry-pick, revert or bisect; with PLAN of a plan, also refs that leave no room for its own. */
  assertReady(plan?: string): Promise<void>;
  /** Everything that `git status` would show, plus skip-worktree and assume-unchanged files that differ from the index. */
  dirt(): Promise<readonly DirtyPath[]>;
  /** The tree of HEAD with just these paths as they lie on disk (a new or edited plan, gates…); a folder ends in `/`. No ref and no index of the user's changes. */
  treeWith(paths: readonly string[]): Promise<string>;
  /** Commits a tree of `treeWith` on HEAD, moves the branch to it, brings the user's index in line; gives the new HEAD. */
  commitTree(tree: string, message: CommitMessage): Promise<string>;
  /** Creates a lightweight tag at a commit; false when a tag of that name stands elsewhere (it is left alone). */
  tag(ref: string, commit: string): Promise<boolean>;
  /** The commit that a ref or revision names; undefined where it names none. */
  resolve(revision: string): Promise<string | undefined>;
  /** Highest NNNN among this plan's proofs. */
  highestProof(plan: string): Promise<number>;
  /** Short name of this work tree in the ledger; the same for as long as the work tree lives. */
  readonly id: string;
  /** Hooks that commits by hand run and checkpoints do not. */
  activeHooks(): Promise<readonly string[]>;
  /** Reads a file of the work tree; lstat first, O_NOFOLLOW, so that a FIFO or a link never hangs or misleads us. */
  readWorkFile(path: string): Promise<WorkFile>;
  /** Whether a regular file of the work tree holds just these bytes. Asks git nothing. */
  holds(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Writes over a regular file of the work tree, whole, with the mode that it has. Throws Refusal(4) where it is none. */
  writeWorkFile(path: string, bytes: Uint8Array): Promise<void>;
  /** Bytes of a file at a commit; undefined where there is none. */
  readAt(commit: string, path: string): Promise<Uint8Array | undefined>;
  treeOf(commit: string): Promise<string>;
  /** The change between two commits as a patch; binary files are only named, odd names escaped. */
  diff(from: string, to: string): Promise<string>;
  /** The same but for one path, for an agent to read: where it is long, what was left out is told, with a list of all. */
  shortDiff(from: string, to: string, but: string): Promise<string>;
  /** What differs between two commits. */
  changedPaths(from: string, to: string): Promise<readonly string[]>;

  /** Records everything an agent may damage, durably, and gives the commit the attempt starts from. Read-only but for the record. `startTree`: what lies in the work tree where that is not HEAD's tree (the baseline run before the start commit). */
  begin(attempt: AttemptId, rules: AttemptRules, startTree?: string): Promise<string>;
  /** Begins an attempt of a person, in a work tree that holds it already: HEAD is where it begins, what differs is the attempt's. Its rollBack keeps everything and changes nothing but what gates did. */
  takeUp(attempt: AttemptId, rules: AttemptRules): Promise<string>;
  /** Puts back refs, HEAD, config and hooks; looks at what is left; on a candidate, the tree lies ready for the gates. */
  inspect(attempt: AttemptId, rules: AttemptRules): Promise<Inspection>;
  /** After the gates: sets aside new files they wrote; undefined, or why the tracked files are no longer those of `tree`. */
  settle(attempt: AttemptId, tree: string): Promise<Failure | undefined>;
  /** Takes what `fix: true` gates changed into the candidate. */
  reinspect(attempt: AttemptId, rules: AttemptRules): Promise<Inspection>;
  /** Writes a commit object on `parent` (no ref moves). */
  commitObject(tree: string, parent: string, message: CommitMessage): Promise<string>;
  /** Writes the proof, an annotated tag object on the commit (no ref moves). */
  proofObject(commit: string, name: string, text: string): Promise<string>;
  /** Branch, tag and proof in one transaction, then the index in line. Finishes a half-done one; safe to repeat. Gives notices: ignored files that were lost or changed. */
  checkpoint(attempt: AttemptId, checkpoint: Checkpoint): Promise<readonly string[]>;
  /** Keeps everything the attempt left under its ref, then puts work tree, index, HEAD and refs back where it began. Safe to repeat after a crash; `heldUntil`: until when the dead run is known to have had the work tree (milliseconds since 1970), so that commits until then are the attempt's. */
  rollBack(
    attempt: AttemptId,
    heldUntil?: number,
  ): Promise<{
    readonly snapshot: Snapshot;
    readonly notices: readonly string[];
    /** The work tree was left as it is: a person's attempt. */
    readonly kept?: true;
  }>;
  /** Puts what a kept attempt had changed into the work tree, to be judged again. False, and nothing touched, where a person has changed the same paths since. */
  reapply(attempt: AttemptId, snapshot: Snapshot): Promise<boolean>;
  /**
   * Puts what a kept attempt had changed into the work tree, onto whatever has moved since it began (git-merge-tree(1), three-way);
   * the plan is left as it lies. Gives the paths that conflict, with nothing touched; none: it lies there.
   */
  merge(attempt: AttemptId, snapshot: Snapshot, planPath: string): Promise<readonly string[]>;
  /** Lays out what an earlier attempt that began at the same tree had left. Undefined, and nothing touched, where it is no longer there or something is in the way; else notices. */
  layOut(attempt: AttemptId, left: LeftBehind): Promise<readonly string[] | undefined>;
  /** Forgets the record of an attempt that is over, or whose work tree is gone. */
  end(attempt: AttemptId): Promise<void>;
}
