import { clip } from '../core/text.ts';
import type { JsonObject } from './json-fields.ts';
import { openLines } from './json-lines.ts';

/** Why an agent got nowhere, as its client says it in a structured field or by how it ended; never from the model's words. */
export type TroubleKind =
  /** Too many requests, or a subscription's limit: goes on after a while. */
  | 'throttled'
  /** The provider fails, is overloaded or cannot be reached: goes on after a while. */
  | 'overloaded'
  | 'signed-out'
  /** No credit, no access, disabled: only its owner can mend it. */
  | 'account'
  | 'unknown-model'
  /** The model, or the provider's filter, would not. */
  | 'refused'
  | 'context-overflow'
  /** One of the client's own: turns, budget. */
  | 'limit'
  | 'error';

export interface Trouble {
  readonly kind: TroubleKind;
  /** ISO 8601: when it is over, where the client says so. */
  readonly until?: string;
  /** How long it lasts from when it was said, where the client says that instead. */
  readonly afterMs?: number;
  /** One line at most, in the client's words. */
  readonly detail: string;
}

export interface Tokens {
  /** All that was read, `cached` and what was written to a cache included. */
  readonly input: number;
  /** All that was written, reasoning included. */
  readonly output: number;
  /** Those of `input` that came from a cache. */
  readonly cached?: number;
}

/** What a finished step of a known client comes to. What the client does not report is left out; nothing is guessed. */
export interface Reading {
  /** The last answer, clipped. */
  readonly text?: string;
  /** For `PresetCall.session`. */
  readonly session?: string;
  readonly tokens?: Tokens;
  /** As the client counts it, by its own price list. */
  readonly usd?: number;
  /** What of its sums some of the client's reports lacked, or will still report: those are least ones. */
  readonly lacking?: { readonly tokens?: true; readonly usd?: true };
  readonly trouble?: Trouble;
}

/** A reading under way. */
export interface Seen extends Reading {
  /** Trouble that the client still tries to get over: it counts only if the step then fails or is cut. */
  readonly omen?: Trouble;
  /** The answer that is counted, and all before it, where a client sums up only at its end. */
  readonly counting?: { readonly id: string; readonly before: Tokens };
}

/** How the process of a client ended. */
export interface ClientExit {
  /** null: ended by a signal. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** The end of standard error; '' where it is not known apart: then what was no JSON stands in for it, unless the client prints text. */
  readonly stderrTail: string;
}

/** How one client's output is read: a fold over its JSON lines, in their order. */
export interface Reader {
  /** What one more line tells. Called for any JSON object there is, whoever printed it. */
  readonly see: (seen: Seen, event: JsonObject, now: Date) => Seen;
  /** What an exit status, a cut or the end of standard error tells; asked only where no line told of trouble, and not of an exit 0. */
  readonly blame?: (end: ClientExit, now: Date) => Trouble | undefined;
  /** The client has no structured output: what it prints is its answer. */
  readonly isText?: true;
  /** The client counts the tokens of the whole session, of earlier steps too. */
  readonly countsSession?: true;
}

export interface OpenReader {
  readonly take: (chunk: Uint8Array) => void;
  /** What the client has reported until now. */
  readonly soFar: () => Pick<Reading, 'tokens' | 'usd' | 'lacking'>;
  readonly finish: (end: ClientExit) => Reading;
}

export interface ReaderOptions {
  /** Asked when a line names a time without its date, or a wait without its begin. */
  readonly now: () => Date;
  /** Tokens of the steps that a resumed session had before this one; `unknown` where one of them reported none. */
  readonly earlier?: Tokens | 'unknown';
}

/** Bytes. */
const LONGEST_TEXT = 65_536;
const LONGEST_DETAIL = 400;

/** Reads a client's output while it comes, in bounded memory: it holds one line, one reading and the end of what is no JSON. */
export function openReader(
  { reader }: { readonly reader: Reader },
  { now, earlier }: ReaderOptions,
): OpenReader {
  let seen: Seen = {};
  const lines = openLines((event) => {
    seen = bounded(reader.see(seen, event, now()));
  });
  const own = (reading: Reading): Reading =>
    reader.countsSession && earlier !== undefined ? less(reading, earlier) : reading;
  return {
    take: lines.take,
    soFar: () => own(seen),
    finish: (end) => {
      const rest = lines.finish();
      // The words of a model are no error message, so an answer in plain text never stands in for one.
      const stderrTail = end.stderrTail === '' && !reader.isText ? rest : end.stderrTail;
      const said = reader.isText && rest.trim() !== '' ? { ...seen, text: rest.trim() } : seen;
      return own(conclude(reader, said, { ...end, stderrTail }, now()));
    },
  };
}

function bounded(seen: Seen): Seen {
  return seen.text === undefined || seen.text.length <= LONGEST_TEXT
    ? seen
    : { ...seen, text: seen.text.slice(0, LONGEST_TEXT + 1) };
}

function conclude(reader: Reader, seen: Seen, end: ClientExit, now: Date): Reading {
  const { omen, trouble: told, text, counting: _counting, ...rest } = seen;
  const trouble = told ?? (end.exit === 0 ? undefined : (omen ?? blame(reader, end, now)));
  return {
    ...(text !== undefined && { text: clip(text, LONGEST_TEXT) }),
    ...rest,
    ...(trouble && {
      trouble: { ...trouble, detail: clip(firstLine(trouble.detail), LONGEST_DETAIL) },
    }),
  };
}

/** A step that was cut said nothing of itself by that. */
function blame(reader: Reader, end: ClientExit, now: Date): Trouble | undefined {
  const blamed = reader.blame?.(end, now);
  if (blamed !== undefined || end.exit === null) return blamed;
  return { kind: 'error', detail: lastLine(end.stderrTail) ?? `exit ${end.exit}` };
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.trim() ?? '';
}

function lastLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
}

function less({ tokens, ...reading }: Reading, earlier: Tokens | 'unknown'): Reading {
  if (tokens === undefined || earlier === 'unknown') return reading;
  const left: Tokens = {
    input: tokens.input - earlier.input,
    output: tokens.output - earlier.output,
    ...(tokens.cached !== undefined && { cached: tokens.cached - (earlier.cached ?? 0) }),
  };
  // The session was not the one that was asked for: its counts are its own.
  return left.input < 0 || left.output < 0 ? { ...reading, tokens } : { ...reading, tokens: left };
}
