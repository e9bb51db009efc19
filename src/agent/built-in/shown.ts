import { clip } from '../../core/text.ts';

/** Bytes of a text that the log shows. */
export const MOST_SHOWN = 2000;

/** What a tool was called with, its long texts clipped. */
export function shown(input: unknown): unknown {
  if (typeof input === 'string') return clip(input, MOST_SHOWN);
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' ? clip(value, MOST_SHOWN) : value,
    ]),
  );
}
