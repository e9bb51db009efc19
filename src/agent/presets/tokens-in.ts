import { countAt, type JsonObject } from '../json-fields.ts';
import type { Tokens } from '../reading.ts';

/** A client's counts, by its own names for them, where its `input` holds the cached ones too; undefined unless it reports both. */
export function tokensIn(
  counts: JsonObject | undefined,
  names: Readonly<Record<keyof Tokens, string>>,
): Tokens | undefined {
  if (counts === undefined) return undefined;
  const input = countAt(counts, names.input);
  const output = countAt(counts, names.output);
  const cached = countAt(counts, names.cached);
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cached !== undefined && { cached }) };
}
