import type { Recorded } from './events.ts';

/** Milliseconds: of a shorter wait nobody is told. */
const LEAST = 60_000;

/** Which waits for a provider are worth a word: those over a minute or of unknown length, once each. */
export interface WaitWatch {
  readonly observe: (recorded: Recorded) => void;
  /** A wait begins; times are ISO 8601, UTC. Whether to tell of it. */
  readonly begins: (now: string, until: string) => boolean;
}

/** A wait that goes on after another question to the provider is still the same one, until an attempt gets to its gates. */
export function openWaitWatch(): WaitWatch {
  let isTold = false;
  let isUnknown = false;
  return {
    observe: ({ event }) => {
      if (event.type === 'agent.throttled') isUnknown = event.own === true;
      if (event.type === 'gate.finished' || event.type === 'attempt.rejected') isTold = false;
      if (event.type === 'checkpoint.created') isTold = false;
    },
    begins: (now, until) => {
      const isLong = isUnknown || Date.parse(until) - Date.parse(now) > LEAST;
      if (!isLong || isTold) return false;
      isTold = true;
      return true;
    },
  };
}
