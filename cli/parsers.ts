import { InvalidArgumentError } from 'commander';
import { parseDuration, parseUsd } from '../src/core/config/units.ts';

/** Parsers of option values. Commander takes `--plan --json`, `--limit=` and `--timeout -5` without a word; these do not. */

/** Any text but none, and nothing that looks like the next option. */
export function parseText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  if (value.startsWith('-'))
    throw new InvalidArgumentError('It begins with a dash: is the value before it missing?');
  return value;
}

/** A whole number of at least 1, and at most `most`. */
export function parseCount(most: number = Number.MAX_SAFE_INTEGER): (value: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${most}`;
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : 0;
    if (number < 1 || number > most)
      throw new InvalidArgumentError(`It has to be a whole number ${range}.`);
    return number;
  };
}

/** A duration in milliseconds, more than none. */
export function parseLimit(value: string): number {
  const milliseconds = parseDuration(value);
  if (milliseconds === undefined || milliseconds <= 0)
    throw new InvalidArgumentError(
      'It has to be a duration with a unit, such as 90s, 15m or 1h30m, and at most 24 days.',
    );
  return milliseconds;
}

/** Task arguments, collected: ids or numbers. */
export function collectTask(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), parseText(value)];
}

/** US dollars, more than none. */
export function parseBudget(value: string): number {
  const usd = parseUsd(value);
  if (usd === undefined)
    throw new InvalidArgumentError('It has to be US dollars, such as 5 or 0.50.');
  return usd;
}
