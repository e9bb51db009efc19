export interface Processes {
  /** Ends every process that carries the token; gives what it ended. */
  endByToken(token: string): Promise<readonly { readonly pid: number; readonly command: string }[]>;
  /** Containers and user units that run now, of all who use this machine; empty where no runtime answers. Never rejects. */
  outside(signal: AbortSignal): Promise<readonly Outsider[]>;
}

/** What runs in no process tree of whoever had it started, and so is ended with none. */
export interface Outsider {
  readonly what: 'container' | 'unit';
  readonly id: string;
  readonly name: string;
  /** The command that ends it. */
  readonly end: string;
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
