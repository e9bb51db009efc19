import { countAt, numberAt, objectAt, textAt, type JsonObject } from '../json-fields.ts';
import type { Reader, Seen, TroubleKind } from '../reading.ts';
import type { BuiltInLine, ErrorKind } from './line.ts';

/** Reads what the built-in agent prints (`BuiltInLine`). */
export const builtInReader: Reader = { see, blame };

/** Only a last line says how it ended. */
function blame(): { readonly kind: TroubleKind; readonly detail: string } | undefined {
  return { kind: 'error', detail: 'it was cut off' };
}

const kinds: Readonly<Record<ErrorKind, TroubleKind>> = {
  throttled: 'throttled',
  overloaded: 'overloaded',
  'signed-out': 'signed-out',
  account: 'account',
  'unknown-model': 'unknown-model',
  'context-overflow': 'context-overflow',
  error: 'error',
};

function see(seen: Seen, event: JsonObject): Seen {
  const counted = { ...seen, ...tokensIn(event) };
  const type = event['type'] as BuiltInLine['type'] | undefined;
  if (type === 'result') return { ...counted, ...ended(event) };
  return type === 'error' ? { ...counted, trouble: troubleIn(event) } : counted;
}

/** Each line tells the sum anew. */
function tokensIn(event: JsonObject): Pick<Seen, 'tokens' | 'lacking'> {
  const input = countAt(event, 'tokens', 'input');
  const output = countAt(event, 'tokens', 'output');
  if (input === undefined && output === undefined) return {};
  const isPartial = input === undefined || output === undefined;
  const isLeast = isPartial || objectAt(event, 'tokens')?.['atLeast'] === true;
  const tokens = { input: input ?? 0, output: output ?? 0 };
  return { tokens, ...(isLeast && { lacking: { tokens: true } }) };
}

function ended(event: JsonObject): Pick<Seen, 'text' | 'trouble'> {
  const text = textAt(event, 'text') ?? '';
  const finish = textAt(event, 'finish') ?? '';
  if (finish === 'stop') return { text };
  if (finish === 'content-filter')
    return {
      text,
      trouble: { kind: 'refused', detail: 'the provider’s filter stopped the answer' },
    };
  return { text, trouble: { kind: 'limit', detail: `it stopped at its limit: ${finish}` } };
}

function troubleIn(event: JsonObject): NonNullable<Seen['trouble']> {
  const named = textAt(event, 'kind') ?? '';
  const kind = Object.hasOwn(kinds, named) ? kinds[named as ErrorKind] : 'error';
  const afterMs = numberAt(event, 'afterMs');
  return { kind, detail: textAt(event, 'detail') ?? '', ...(afterMs !== undefined && { afterMs }) };
}
