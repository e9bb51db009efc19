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
 * monotonic clock, so a changed wall clock does not matter, and takes any length, Infinity too. Time in which the machine was
 * suspended does not count on Linux (CLOCK_MONOTONIC) and does where the system's monotonic clock goes on (macOS): nothing that
 * is limited works meanwhile. With `isIdle` the process does not stay alive for it.
 */
export function startLimitTimer(limitMs: number, onOver: () => void, isIdle = false): LimitTimer {
  let since = performance.now();
  let stopped = false;
  const leftMs = (): number => since + limitMs - performance.now();
  const arm = (): NodeJS.Timeout => {
    const delay = Math.min(Math.max(leftMs(), 0), longestDelayMs);
    const armed = setTimeout(() => setImmediate(check), delay);
    return isIdle ? armed.unref() : armed;
  };
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

/** Aborts as a limit is over (see `startLimitTimer`), and keeps no process alive for it. */
export function deadlineAfter(limitMs: number): AbortSignal {
  const over = new AbortController();
  startLimitTimer(limitMs, () => over.abort(), true);
  return over.signal;
}
