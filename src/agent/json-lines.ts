import { parseObject, type JsonObject } from './json-fields.ts';

/** Bytes; a line of a client that is longer holds a file or a picture, and is skipped. */
const LONGEST_LINE = 2 ** 20;
/** Characters of what is no JSON that are kept, from its end. */
const LONGEST_REST = 8192;

export interface JsonLines {
  readonly take: (chunk: Uint8Array) => void;
  /** Reads what has no newline yet; gives the end of all that was no JSON object. */
  readonly finish: () => string;
}

/** Cuts bytes into lines and hands on each that is a JSON object, holding one line at a time. */
export function openLines(see: (event: JsonObject) => void): JsonLines {
  let parts: Uint8Array[] = [];
  let held = 0;
  let rest = '';
  const add = (bytes: Uint8Array): void => {
    held += bytes.length;
    // A copy, as the chunk is the caller's again as soon as this returns; `slice` of a Buffer would be none.
    if (held <= LONGEST_LINE) parts.push(new Uint8Array(bytes));
    else parts = [];
  };
  const endLine = (): void => {
    const line = held > LONGEST_LINE ? '' : Buffer.concat(parts).toString('utf8');
    parts = [];
    held = 0;
    const event = line.trimStart().startsWith('{') ? parseObject(line) : undefined;
    if (event !== undefined) see(event);
    else if (line !== '') rest = `${rest}${line.slice(-LONGEST_REST)}\n`.slice(-LONGEST_REST);
  };
  const take = (chunk: Uint8Array): void => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      endLine();
      from = at + 1;
    }
    add(chunk.subarray(from));
  };
  return {
    take,
    finish: () => {
      endLine();
      return rest;
    },
  };
}
