import { startLimitTimer } from './limit-timer.ts';
import type { LimitTimer } from './limit-timer.ts';

/** Why we ended a step. */
export type StepStop =
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'idle'; readonly afterMs: number }
  | { readonly kind: 'aborted' };

/** Milliseconds; what is absent has no limit. */
interface Limits {
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** All that can end a step before its time. */
export interface StepLimits {
  /** The first reason; never resolves while there is none. */
  readonly stopped: Promise<StepStop>;
  /** Begins the idle limit anew. */
  readonly sawOutput: () => void;
  /** Calls back where nobody would catch what is thrown: it ends the step as an abort does, and `throwFault` throws it. */
  readonly guard: (callback: () => void) => void;
  readonly throwFault: () => void;
  /** After it no limit is reported any more. */
  readonly clear: () => void;
}

/** Starts the limits of a step. */
export function startStepLimits({ timeoutMs, idleTimeoutMs, signal }: Limits): StepLimits {
  let stop: (reason: StepStop) => void = () => undefined;
  const stopped = new Promise<StepStop>((resolve) => {
    stop = resolve;
  });
  const abort = (): void => stop({ kind: 'aborted' });
  const whole = startTimer(timeoutMs, (afterMs) => stop({ kind: 'timeout', afterMs }));
  const idle = startTimer(idleTimeoutMs, (afterMs) => stop({ kind: 'idle', afterMs }));
  signal?.addEventListener('abort', abort);
  const faults: Error[] = [];
  return {
    stopped,
    sawOutput: idle.restart,
    guard: (callback) => {
      try {
        callback();
      } catch (error) {
        faults.push(error instanceof Error ? error : new Error(String(error)));
        abort();
      }
    },
    throwFault: () => {
      for (const fault of faults) throw fault;
    },
    clear: () => {
      whole.stop();
      idle.stop();
      signal?.removeEventListener('abort', abort);
    },
  };
}

function startTimer(limitMs: number | undefined, onOver: (afterMs: number) => void): LimitTimer {
  const afterMs = limitMs ?? Infinity;
  return startLimitTimer(afterMs, () => onOver(afterMs));
}
