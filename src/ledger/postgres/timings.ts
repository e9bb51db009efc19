/** How long a session waits for what; all in milliseconds. */
export interface Timings {
  /** A server that was there is waited for. */
  readonly patience: number;
  /** The same for the first connection of a command. */
  readonly firstPatience: number;
  /** After so much silence we ask whether the server is still there. */
  readonly ping: number;
  /** What has no answer by then is lost, and the server itself ends a statement. */
  readonly deadline: number;
  /** The server drops a session that asked for nothing: a frozen worker's. Above ping + deadline, so that a live one stops before. */
  readonly idle: number;
}

/** In production; tried at these ratios under kills, freezes, cut cables and restarts. */
const usual: Timings = {
  patience: 120_000,
  firstPatience: 5000,
  ping: 5000,
  deadline: 10_000,
  idle: 30_000,
};

/** Shorter patience shortens everything with it; longer patience only itself. */
export function timingsOf(patience: number = usual.patience): Timings {
  const scale = Math.min(1, patience / usual.patience);
  const times = (of: number): number => Math.max(1, Math.round(of * scale));
  return {
    patience,
    firstPatience: Math.min(usual.firstPatience, patience),
    ping: times(usual.ping),
    deadline: times(usual.deadline),
    idle: times(usual.idle),
  };
}

/** A little less, or up to a half more, so that many do not come at one instant. */
export function jittered(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() * 0.75);
}
