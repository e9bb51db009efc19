/** A living process: zombies and kernel threads are none. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  /** Undefined where the platform does not tell. */
  readonly session: number | undefined;
  /** Tells two processes with the same pid apart; what it looks like depends on the platform. */
  readonly startTime: string;
  /** What SKELETON_STEP holds in its environment. */
  readonly tokens: readonly string[];
}

/** All processes at about one moment. */
export interface ProcessTable {
  readonly entries: readonly ProcessEntry[];
  /** Pids of those that ended while the table was read, and of zombies: each may have left a child that was not seen. */
  readonly ended: readonly number[];
  /** Pids of those in the middle of exec: their environment could not be told. */
  readonly starting: readonly number[];
}
