import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds after a stop that a git command which had better not be left half-done may still take. */
const patienceMs = 6000;

interface Stop {
  /** Of what may be cut off at any time: nothing of it is recorded yet, or it will be looked at again. */
  readonly atOnce: AbortSignal;
  /** Of everything else. */
  readonly atLast: AbortSignal;
  readonly isBrief: boolean;
}

// A stop concerns every call that is made for a piece of work, however deep: as an argument, each function would hand it on.
const stops = new AsyncLocalStorage<Stop>();

/**
 * Does a piece of work whose git commands end when the signal aborts: at once within `cutShort`, else within 6 s, so that a
 * filter that hangs holds no Ctrl-C. They throw Interrupted then, and so do those that would begin later.
 */
export async function stoppingWith<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const last = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => last.abort(), patienceMs);
  };
  signal.addEventListener('abort', begin, { once: true });
  if (signal.aborted) begin();
  try {
    return await stops.run({ atOnce: signal, atLast: last.signal, isBrief: false }, work);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', begin);
  }
}

/** A call whose git commands end at the very moment of a stop. */
export function cutShort<A extends readonly unknown[], T>(
  call: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  return async (...args) => {
    const stop = stops.getStore();
    if (stop === undefined) return call(...args);
    return stops.run({ ...stop, isBrief: true }, () => call(...args));
  };
}

/** Whether the stop has come, whatever may still be finished. */
export function isStopped(): boolean {
  return stops.getStore()?.atOnce.aborted === true;
}

/** What ends a git command that begins now; undefined where nothing does but its time limit. */
export function currentStop(): AbortSignal | undefined {
  const stop = stops.getStore();
  return stop?.isBrief === true ? stop.atOnce : stop?.atLast;
}
