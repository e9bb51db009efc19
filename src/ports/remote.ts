/** Code on its way between machines: one git remote, one branch of a plan on it (research: engine, sections 5 to 7). */

/** A checkpoint as it goes onto the remote: branch, tag, proof and the task's fence, all or nothing. */
export interface Publication {
  /** Full names. */
  readonly branch: string;
  readonly tag: string;
  readonly proof: string;
  /** Where the branch stands there now; it goes to `commit`. */
  readonly base: string;
  readonly commit: string;
  readonly proofObject: string;
  readonly fence: Fence;
}

/** The mark of the worker that may publish a task: whoever claims the task next moves it, and the one before can publish nothing. */
export interface Fence {
  /** Full name. */
  readonly ref: string;
  /** What stands there: an object that this worker made. */
  readonly at: string;
}

export type Published =
  | { readonly kind: 'done' }
  /** The branch, or the tag's name, was taken by somebody meanwhile. */
  | { readonly kind: 'outpaced' }
  /** Another worker has claimed the task. */
  | { readonly kind: 'fenced' }
  /** The remote does not let us (a protected branch, a hook, no right): its own words, one line; `mend`: what is to be done there, where that is known. */
  | { readonly kind: 'refused'; readonly why: string; readonly mend?: string };

/**
 * Throws Refusal(3) where the remote cannot be reached, after retries with back-off. Nothing is ever forced over what is not ours:
 * each ref that is moved is leased at the value that was seen. Our own hooks rule holds: no hook of the local repository runs.
 */
export interface Remote {
  readonly name: string;
  /** Throws Refusal (2: no such remote; 3: it cannot be reached, the clone is shallow). Pushes nothing. */
  assertReady(): Promise<void>;
  /**
   * Brings a branch, and the tags and proofs of its plan, here; gives the branch's commit, undefined where there is none. Tags and proofs
   * that stand here elsewhere are left alone.
   */
  fetch(plan: string, branch: string): Promise<string | undefined>;
  /** Makes the branch, with a start tag on the same commit ('': none); false where it is there already. */
  begin(branch: string, start: { readonly tag: string; readonly commit: string }): Promise<boolean>;
  /** Moves the branch forward, with a start tag on the same commit; false where it is elsewhere by now. */
  forward(
    branch: string,
    from: string,
    start: { readonly tag: string; readonly commit: string },
  ): Promise<boolean>;
  /** Puts a new fence before a task; `owner`: who, in words. Tries again where another was quicker. */
  takeFence(plan: string, task: string, owner: string): Promise<Fence>;
  publish(publication: Publication): Promise<Published>;
  /** What a ref names there: the commit, or the object itself where it is none; undefined where there is none. */
  read(ref: string): Promise<string | undefined>;
  /** Puts a kept attempt where all others can get it; false, with nothing changed, where another commit stands there. */
  give(ref: string, commit: string): Promise<boolean>;
  /** Brings a kept attempt here, under its own name; false where the remote does not have it at that commit. */
  take(ref: string, commit: string): Promise<boolean>;
}
