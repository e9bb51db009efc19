/** A linked worktree outside of the repository's tree, for gates: what lies in it is a tree of git, and nothing else. */
export interface LinkedTree {
  /** Absolute. */
  readonly top: string;
  /**
   * Lays out exactly this tree, with HEAD and index at the commit `head`, as they are where an attempt is judged. Whatever
   * else lies there goes, but for what is at or under a path of `keep`.
   */
  layOut(tree: string, head: string, keep?: readonly string[]): Promise<void>;
  /** Paths of the tree that no longer lie there as they were laid out. */
  changed(): Promise<readonly string[]>;
  /** What lies there beside the tree; a folder of nothing else is one path. */
  extras(): Promise<readonly string[]>;
  /** Takes folder and registration away. Safe to repeat. */
  remove(): Promise<void>;
}

export interface Worktrees {
  /** Makes one, after taking away those that dead processes left. Nothing of the user's work tree, index or refs changes. */
  add(head: string): Promise<LinkedTree>;
  /** Takes away those that dead processes left, without adding one; gives their folders. */
  sweep(): readonly string[];
  /** A tree in which the paths that `isFrom` chooses are as in `from` (deleted ones come back, new ones go), the rest as in `tree`. */
  mix(tree: string, from: string, isFrom: (path: string) => boolean): Promise<string>;
}
