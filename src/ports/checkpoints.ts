import type { ChangedPath } from './workspace.ts';

/** What git holds of one checkpoint; a tag or a proof that is gone is undefined. */
export interface CheckpointMark {
  readonly plan: string;
  readonly number: number;
  /** Full name, and the commit that it names now. */
  readonly tag: { readonly ref: string; readonly commit: string } | undefined;
  /** The commit that it was made for, and its text. */
  readonly proof:
    { readonly ref: string; readonly commit: string; readonly text: string } | undefined;
  /** HEAD contains the commit of the tag or of the proof. */
  readonly isInHead: boolean;
}

export interface CommitFacts {
  readonly tree: string;
  /** The first parent; undefined for a root. */
  readonly parent: string | undefined;
  /** Of the message's last paragraph, by name. */
  readonly trailers: ReadonlyMap<string, string>;
}

/** Checkpoints as git has them: read-only, and without the ledger. */
export interface Checkpoints {
  /** In the order of their plans and numbers; start tags are none. */
  all(): Promise<readonly CheckpointMark[]>;
  factsOf(commit: string): Promise<CommitFacts>;
  /** Paths of files of a commit or tree, with the ids of what they hold. */
  files(tree: string): Promise<ReadonlyMap<string, string>>;
  changes(from: string, to: string): Promise<readonly ChangedPath[]>;
}
