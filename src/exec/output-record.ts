import { createHash } from 'node:crypto';
import type { OutputMask } from './mask-output.ts';
import { outputText } from './output-text.ts';
import { openStepLog } from './step-log.ts';
import type { StepLog } from './step-log.ts';

/** What is left in memory of a step's output, however long it was; of masked output, where it was masked. */
export interface OutputFacts {
  /** The first bytes, as `outputText` reads them. */
  readonly head: string;
  /** The last bytes, as `outputText` reads them; equal to `head` where nothing was cut. */
  readonly tail: string;
  /** Bytes, all of them. */
  readonly outputBytes: number;
  /**
   * SHA-256 of all bytes, in hex: those that the log holds where it is not cut, so that anybody can compare, and nobody can try
   * out which secret gives it.
   */
  readonly digest: string;
  /** Why the log is not complete (a full disk); absent where it is. */
  readonly logError?: string;
}

/** Takes output while it comes. */
export interface OutputRecord {
  readonly take: (chunk: Uint8Array) => void;
  /** Closes the log; call it once. */
  readonly finish: () => OutputFacts;
}

export interface RecordOptions {
  readonly maxLogBytes: number;
  /** Of head and tail, each. */
  readonly keepBytes: number;
  /** All that is recorded goes through it. */
  readonly mask?: OutputMask | undefined;
  /** Gets what the log gets, when it gets it; what it throws comes out of `take` or `finish`. */
  readonly sink?: ((chunk: Uint8Array) => void) | undefined;
}

/**
 * Opens the log and begins to record: log capped at `maxLogBytes`, head and tail of `keepBytes` each in memory. Throws where
 * the log cannot be created; a disk that fills later stops the log, not the step.
 */
export function recordOutput(
  logPath: string,
  { maxLogBytes, keepBytes, mask, sink }: RecordOptions,
): OutputRecord {
  const log = guardLog(openStepLog(logPath, maxLogBytes));
  const hash = createHash('sha256');
  const head = keepFirst(keepBytes);
  const tail = keepLast(keepBytes);
  let outputBytes = 0;
  const keep = (chunk: Uint8Array): void => {
    if (chunk.length === 0) return;
    outputBytes += chunk.length;
    hash.update(chunk);
    head.take(chunk);
    tail.take(chunk);
    log.write(chunk);
    sink?.(chunk);
  };
  return {
    take: (chunk) => {
      keep(mask === undefined ? chunk : mask.take(chunk));
    },
    finish: () => {
      try {
        if (mask !== undefined) keep(mask.finish());
      } finally {
        log.close();
      }
      const logError = log.error();
      const cut = outputBytes > keepBytes;
      return {
        head: outputText(head.bytes(), { start: false, end: cut }),
        tail: outputText(tail.bytes(), { start: cut, end: false }),
        outputBytes,
        digest: hash.digest('hex'),
        ...(logError === undefined ? {} : { logError }),
      };
    },
  };
}

interface GuardedLog extends StepLog {
  readonly error: () => string | undefined;
}

/** Stops writing at the first error, and remembers it. */
function guardLog(log: StepLog): GuardedLog {
  let message: string | undefined;
  const remember = (error: unknown): void => {
    message ??= error instanceof Error ? error.message : String(error);
  };
  return {
    write: (chunk) => {
      if (message !== undefined) return;
      try {
        log.write(chunk);
      } catch (error) {
        remember(error);
      }
    },
    close: () => {
      try {
        log.close();
      } catch (error) {
        remember(error);
      }
    },
    error: () => message,
  };
}

/** A bounded memory of bytes. */
export interface KeptBytes {
  readonly take: (chunk: Uint8Array) => void;
  readonly bytes: () => Uint8Array;
}

function keepFirst(limit: number): KeptBytes {
  const kept = Buffer.allocUnsafe(limit);
  let size = 0;
  return {
    take: (chunk) => {
      const piece = chunk.subarray(0, limit - size);
      kept.set(piece, size);
      size += piece.length;
    },
    bytes: () => kept.subarray(0, size),
  };
}

/** Keeps the last `limit` bytes (at least 1) of what it takes. */
export function keepLast(limit: number): KeptBytes {
  const ring = Buffer.allocUnsafe(limit);
  let total = 0;
  return {
    take: (chunk) => {
      const news = chunk.subarray(Math.max(0, chunk.length - limit));
      const at = (total + chunk.length - news.length) % limit;
      const untilEnd = news.subarray(0, limit - at);
      ring.set(untilEnd, at);
      ring.set(news.subarray(untilEnd.length), 0);
      total += chunk.length;
    },
    bytes: () => {
      if (total <= limit) return ring.subarray(0, total);
      const seam = total % limit;
      return Buffer.concat([ring.subarray(seam), ring.subarray(0, seam)]);
    },
  };
}
