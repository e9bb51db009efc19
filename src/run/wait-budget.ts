/**
 * How long one run may wait for providers: `max_wait`, over all its waits; those of several tasks at once count once. Milliseconds;
 * `at` is of the monotonic clock.
 */
export interface WaitBudget {
  readonly leftMs: (at: number) => number;
  /** A wait begins; gives what notes its end. */
  readonly begin: (at: number) => (at: number) => void;
  /** A wait did not fit any more. */
  readonly wasExceeded: () => boolean;
  readonly exceed: () => void;
}

export function openWaitBudget(maxMs: number): WaitBudget {
  let spent = 0;
  let exceeded = false;
  let waiting = 0;
  let since = 0;
  return {
    leftMs: (at) => maxMs - spent - (waiting > 0 ? at - since : 0),
    begin: (begun) => {
      if (waiting === 0) since = begun;
      waiting += 1;
      return (at) => {
        waiting -= 1;
        if (waiting === 0) spent += at - since;
      };
    },
    wasExceeded: () => exceeded,
    exceed: () => {
      exceeded = true;
    },
  };
}
