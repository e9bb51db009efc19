/** The longest delay that setTimeout takes; beyond it fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/** A running limit. */
export interface LimitTimer {
  /** Begins to count anew. */
  readonly restart: () => void;
  /** After it the limit is never reported. */
  readonly stop: () => void;
}

/**
 * Calls `onOver` once when `limitMs` milliseconds have passed since the start, or since the last `restart()`. Counts on the
 * monotonic clock, so a changed wall clock does not matter, and takes any length, Infinity too.
 */
export function startLimitTimer(limitMs: number, onOver: () => void): LimitTimer {
  let since = performance.now();
  let stopped = false;
  const leftMs = (): number => since + limitMs - performance.now();
  const arm = (): NodeJS.Timeout =>
    setTimeout(() => setImmediate(check), Math.min(Math.max(leftMs(), 0), longestDelayMs));
  // One turn of the event loop lies between the timer and this check: after a stall, what has arrived meanwhile is read first.
  const check = (): void => {
    if (stopped) return;
    if (leftMs() > 0) timer = arm();
    else onOver();
  };
  let timer = arm();
  return {
    restart: () => {
      since = performance.now();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
