import { textAt, type JsonObject } from '../json-fields.ts';
import type { Reader, Seen, Trouble } from '../reading.ts';
import { troubleOf } from '../trouble.ts';
import { wordsOnStderr } from './words-on-stderr.ts';

/** Reads the last line of those that write the stream JSON of Claude Code: `{"type":"result","is_error":…,"result":…}`. */
export const resultReader: Reader = { see, blame: wordsOnStderr };

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  const session = textAt(event, 'session_id');
  const known = session === undefined ? seen : { ...seen, session };
  if (event['type'] !== 'result') return known;
  if (event['is_error'] === true) return { ...known, trouble: troubleIn(event, now) };
  const text = textAt(event, 'result');
  return text === undefined ? known : { ...known, text };
}

function troubleIn(event: JsonObject, now: Date): Trouble {
  const subtype = textAt(event, 'subtype') ?? 'error';
  if (subtype.startsWith('error_max_')) return { kind: 'limit', detail: subtype };
  const message = textAt(event, 'error') ?? textAt(event, 'error', 'message');
  return troubleOf({ message: message ?? textAt(event, 'result') ?? subtype }, now);
}
