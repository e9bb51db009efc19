export interface Processes {
  /** Ends every process that carries the token; gives what it ended. */
  endByToken(token: string): Promise<readonly { readonly pid: number; readonly command: string }[]>;
}

export interface Clock {
  /** ISO 8601, UTC. */
  now(): string;
  /** Milliseconds that never jump. */
  monotonic(): number;
  /** Resolves when the time is over or the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A new id that sorts by time: run ids and tokens. */
  id(): string;
}
