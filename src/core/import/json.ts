/** JSON (RFC 8259) as a tree that knows its lines. */
export type JsonNode =
  | JsonObject
  | { readonly kind: 'array'; readonly items: readonly JsonNode[]; readonly line: number }
  | { readonly kind: 'text'; readonly text: string; readonly line: number }
  | { readonly kind: 'number'; readonly number: number; readonly line: number }
  | { readonly kind: 'boolean'; readonly is: boolean; readonly line: number }
  | { readonly kind: 'null'; readonly line: number };

export interface JsonObject {
  readonly kind: 'object';
  readonly entries: ReadonlyMap<string, JsonNode>;
  readonly line: number;
}

/** What is wrong, and where. */
export class JsonError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.name = 'JsonError';
    this.line = line;
  }
}

/** Deeper than any tracker writes; so no input overflows the stack. */
const MOST_NESTING = 200;

interface Reading {
  readonly text: string;
  at: number;
  line: number;
  depth: number;
}

/** `first`: the line on which the text begins in its file. Throws JsonError, for a key that stands twice as well. */
export function readJson(text: string, first = 1): JsonNode {
  const reading: Reading = { text, at: 0, line: first, depth: 0 };
  const node = readNode(reading);
  skipBlanks(reading);
  if (reading.at < text.length) fail(reading, `unexpected ${shown(reading)} after the end`);
  return node;
}

function readNode(reading: Reading): JsonNode {
  skipBlanks(reading);
  const { line } = reading;
  switch (reading.text[reading.at]) {
    case '{':
      return inside(reading, () => ({ kind: 'object', entries: readEntries(reading), line }));
    case '[':
      return inside(reading, () => ({ kind: 'array', items: readItems(reading), line }));
    case '"':
      return { kind: 'text', text: readText(reading), line };
    default:
      return readWord(reading, line);
  }
}

function inside(reading: Reading, read: () => JsonNode): JsonNode {
  reading.depth += 1;
  if (reading.depth > MOST_NESTING) fail(reading, 'nested too deeply');
  reading.at += 1;
  const node = read();
  reading.depth -= 1;
  return node;
}

function readEntries(reading: Reading): ReadonlyMap<string, JsonNode> {
  const entries = new Map<string, JsonNode>();
  readList(reading, '}', () => {
    const key = readText(reading);
    if (entries.has(key)) fail(reading, `the key ${JSON.stringify(key.slice(0, 60))} stands twice`);
    expect(reading, ':');
    entries.set(key, readNode(reading));
  });
  return entries;
}

function readItems(reading: Reading): readonly JsonNode[] {
  const items: JsonNode[] = [];
  readList(reading, ']', () => void items.push(readNode(reading)));
  return items;
}

function readList(reading: Reading, end: string, readOne: () => void): void {
  if (take(reading, end)) return;
  do {
    skipBlanks(reading);
    readOne();
  } while (take(reading, ','));
  expect(reading, end);
}

/** Its end is sought by hand: a regular expression would need a stack as deep as the text is long. */
function readText(reading: Reading): string {
  const { text, at } = reading;
  if (text[at] !== '"') fail(reading, `expected a text in double quotes, not ${shown(reading)}`);
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) fail(reading, 'a text that is not closed');
  reading.at = end + 1;
  try {
    return String(JSON.parse(text.slice(at, end + 1)));
  } catch {
    return fail(reading, 'a text with a line end, a control character or a wrong escape in it');
  }
}

const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function readWord(reading: Reading, line: number): JsonNode {
  word.lastIndex = reading.at;
  const [found] = word.exec(reading.text) ?? [];
  if (found === undefined) return fail(reading, `expected a value, not ${shown(reading)}`);
  reading.at += found.length;
  if (found === 'null') return { kind: 'null', line };
  if (found === 'true' || found === 'false') return { kind: 'boolean', is: found === 'true', line };
  return { kind: 'number', number: Number(found), line };
}

function skipBlanks(reading: Reading): void {
  const { text } = reading;
  for (; ; reading.at += 1) {
    const char = text[reading.at];
    if (char === '\n' || (char === '\r' && text[reading.at + 1] !== '\n')) reading.line += 1;
    else if (char !== ' ' && char !== '\t' && char !== '\r') return;
  }
}

function take(reading: Reading, char: string): boolean {
  skipBlanks(reading);
  if (reading.text[reading.at] !== char) return false;
  reading.at += 1;
  return true;
}

function expect(reading: Reading, char: string): void {
  if (!take(reading, char)) fail(reading, `expected \`${char}\`, not ${shown(reading)}`);
}

function shown({ text, at }: Reading): string {
  const char = text.codePointAt(at);
  return char === undefined ? 'the end of the file' : JSON.stringify(String.fromCodePoint(char));
}

function fail({ line }: Reading, message: string): never {
  throw new JsonError(line, message);
}
