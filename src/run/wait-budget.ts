/** How long one run may wait for providers: `max_wait`, summed over all its waits. Milliseconds. */
export interface WaitBudget {
  readonly leftMs: () => number;
  readonly spend: (ms: number) => void;
  /** A wait did not fit any more. */
  readonly wasExceeded: () => boolean;
  readonly exceed: () => void;
}

export function openWaitBudget(maxMs: number): WaitBudget {
  let spent = 0;
  let exceeded = false;
  return {
    leftMs: () => maxMs - spent,
    spend: (ms) => {
      spent += ms;
    },
    wasExceeded: () => exceeded,
    exceed: () => {
      exceeded = true;
    },
  };
}
