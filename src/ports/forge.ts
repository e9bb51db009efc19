import type { ForgeTool } from '../core/forge-address.ts';
import type { ToolCall } from '../core/pull-request.ts';

/** A git remote, as its configuration names it. */
export interface NamedRemote {
  readonly name: string;
  /** Where it is pushed to; may hold a password. */
  readonly url: string;
}

/** What stands on a remote. */
export interface RemoteStand {
  /** Short name of its default branch; undefined where it has none. */
  readonly defaultBranch: string | undefined;
  /** Commits of the branches that were asked for, by short name. */
  readonly tips: ReadonlyMap<string, string>;
}

/** Pushes what a person wants to publish: never by force, and no ref that was not named. */
export interface Publisher {
  remotes(): Promise<readonly NamedRemote[]>;
  /** The remote that a branch is pushed to by its configuration. */
  remoteOf(branch: string): Promise<string | undefined>;
  /** Throws Refusal(3) where it cannot be reached. */
  look(remote: string, branches: readonly string[]): Promise<RemoteStand>;
  /** Full names of a plan's checkpoints and start tags that HEAD contains, and of their proofs. */
  checkpointRefs(plan: string): Promise<readonly string[]>;
  /** Each ref under its own name. Throws Refusal(3), with the remote's own words, where it does not take one of them. */
  push(remote: string, refs: readonly string[]): Promise<void>;
}

/** The programs gh and glab. */
export interface Forge {
  readonly isInstalled: (tool: ForgeTool) => Promise<boolean>;
  /** Its standard output, or why it failed: in its own words, on one line. */
  readonly call: (
    call: ToolCall,
    signal: AbortSignal,
  ) => Promise<{ readonly said: string } | { readonly wrong: string }>;
}
