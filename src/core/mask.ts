/** Secrets out of text (contract, "Agent step"; architecture.md, "Rooms"): what we write never holds one that we know. */

import { shapePattern } from './secret-shapes.ts';

export interface Secret {
  /** Of the environment variable. */
  readonly name: string;
  readonly value: string;
}

export interface Mask {
  /** The text with each secret replaced by `[masked NAME]`; the same text where there is none. */
  readonly text: (text: string) => string;
  /** A value of JSON's kinds with every string in it masked. */
  readonly value: <T>(value: T) => T;
  /**
   * How much of a text's beginning may be masked and written although more text is to follow: up to where a secret could still
   * be about to begin. 0…length.
   */
  readonly settled: (text: string) => number;
}

/** No secret of a known shape is longer, but a private key. */
const LONGEST_TOKEN = 4096;
const LONGEST_KEY_BLOCK = 16_384;

/** Masks these secrets, as they are and as JSON and addresses spell them, and every key of a well-known shape. */
export function openMask(secrets: readonly Secret[]): Mask {
  const names = new Map(
    secrets.flatMap(({ name, value }) =>
      spellings(value).map((spelling) => [spelling, name] as const),
    ),
  );
  const text = (clear: string): string =>
    // Known ones first: one that follows a key without a gap would be taken for its end.
    withoutKnown(clear, knownIn(clear, names)).replace(shapePattern(), '[masked key]');
  const longest = Math.max(0, ...[...names.keys()].map((value) => value.length));
  const isBegun = beginningOf([...names.keys()]);
  const settled = (all: string): number => {
    const last = Math.max(0, all.length - longest);
    const end = Math.min(settledIn(all), last + startOf(all.slice(last), isBegun));
    const shaped = [...all.matchAll(shapePattern())].map((found) => ({
      start: found.index,
      end: found.index + found[0].length,
    }));
    const cut = [...knownIn(all, names), ...shaped].filter((m) => m.start < end && end < m.end);
    return cut.reduce((least, m) => Math.min(least, m.start), end);
  };
  return { text, value: (value) => maskIn(value, text), settled };
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/**
 * Where known values are, in order, none within another; plain search, as a pattern of long values would be too large for the
 * engine. Those that overlap are one.
 */
function knownIn(text: string, names: ReadonlyMap<string, string>): readonly Found[] {
  const all: Found[] = [];
  for (const [value, name] of names)
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
      all.push({ start: at, end: at + value.length, name });
  const joined: Found[] = [];
  // The longest first: a secret may be the beginning of another one.
  for (const found of all.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const before = joined.at(-1);
    if (before === undefined || found.start >= before.end) joined.push(found);
    else joined[joined.length - 1] = { ...before, end: Math.max(before.end, found.end) };
  }
  return joined;
}

function withoutKnown(text: string, found: readonly Found[]): string {
  const ends = [0, ...found.map(({ end }) => end)];
  const kept = found.map(({ start, name }, at) => `${text.slice(ends[at], start)}[masked ${name}]`);
  return `${kept.join('')}${text.slice(ends.at(-1))}`;
}

/** A value as it may stand in a file: as it is, as JSON, as JSON within JSON, and as addresses spell it. */
export function spellings(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(json).slice(1, -1);
  return [...new Set([value, json, twice, encodeURIComponent(value.replace(loneHalf, '\ufffd'))])];
}

const loneHalf = /[\ud800-\udfff]/gu;

function maskIn<T>(value: T, text: (clear: string) => string): T {
  if (typeof value === 'string') return text(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => maskIn(item, text)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, maskIn<unknown>(item, text)]),
  ) as T;
}

/** Whether a text is how one of the values begins. */
function beginningOf(values: readonly string[]): (end: string) => boolean {
  const first = new Map<string, string[]>();
  for (const value of values)
    first.set(value.charAt(0), [...(first.get(value.charAt(0)) ?? []), value]);
  return (end) => first.get(end.charAt(0))?.some((value) => value.startsWith(end)) === true;
}

/** Where the longest end of a text begins that could go on to be a secret; its length where there is none. */
function startOf(text: string, isBegun: (end: string) => boolean): number {
  for (let at = 0; at < text.length; at += 1) if (isBegun(text.slice(at))) return at;
  return text.length;
}

/** A key that has begun may lie in the last word, or in a key block that is still open. */
function settledIn(text: string): number {
  const word = text.length - (/\S{0,4096}$/.exec(text.slice(-LONGEST_TOKEN))?.[0].length ?? 0);
  const block = text.lastIndexOf('-----BEGIN ');
  const isOpen = block >= 0 && !text.includes('-----END ', block);
  const open = isOpen && text.length - block < LONGEST_KEY_BLOCK ? block : text.length;
  return Math.max(0, Math.min(word, open));
}
