import { quote } from '../plan/problem.ts';
import type { JsonNode, JsonObject } from './json.ts';
import type { Log } from './log.ts';

/**
 * An object of the source, field by field: each one that is taken is counted with what it became, a wrong type is a
 * problem with its line, and `leave` counts all others as not mapped. Null is nothing.
 */
export interface Row {
  readonly line: number;
  /** '' without one. */
  readonly text: (key: string, became: string) => string;
  /** A text or a whole number, as an id may be written. */
  readonly word: (key: string, became: string) => string | undefined;
  readonly number: (key: string, became: string) => number | undefined;
  readonly flag: (key: string, became: string) => boolean | undefined;
  /** Texts or whole numbers, each with its line. */
  readonly words: (key: string, became: string) => readonly Word[];
  readonly rows: (key: string, became: string) => readonly Row[];
  /** An object inside of it; what is none is left. */
  readonly row: (key: string) => Row | undefined;
  readonly has: (key: string) => boolean;
  readonly isList: (key: string) => boolean;
  readonly leave: () => void;
}

export interface Word {
  readonly text: string;
  readonly line: number;
}

/** How a node is read: undefined for one of another kind. */
interface Kind<T> {
  readonly name: string;
  readonly read: (node: JsonNode) => T | undefined;
}

const kinds = {
  text: { name: 'a text', read: (node) => (node.kind === 'text' ? node.text : undefined) },
  word: { name: 'a text or a whole number', read: wordOf },
  wordAt: { name: 'a text or a whole number', read: wordWithLine },
  number: { name: 'a number', read: (node) => (node.kind === 'number' ? node.number : undefined) },
  flag: { name: 'true or false', read: (node) => (node.kind === 'boolean' ? node.is : undefined) },
  list: { name: 'a list', read: (node) => (node.kind === 'array' ? node.items : undefined) },
  object: { name: 'an object', read: (node) => (node.kind === 'object' ? node : undefined) },
} as const satisfies Readonly<Record<string, Kind<unknown>>>;

/** `prefix`: where the object stands, `userStories[].`. */
export function rowOf(object: JsonObject, prefix: string, log: Log): Row {
  const { entries, line } = object;
  const { take, items, taken } = takerOf(object, prefix, log);
  return {
    line,
    text: (key, became) => take(key, became, kinds.text) ?? '',
    word: (key, became) => take(key, became, kinds.word),
    number: (key, became) => take(key, became, kinds.number),
    flag: (key, became) => take(key, became, kinds.flag),
    words: (key, became) => items(key, became, kinds.wordAt),
    rows: (key, became) =>
      items(key, became, kinds.object).map((node) => rowOf(node, `${prefix}${key}[].`, log)),
    row: (key) => {
      const node = entries.get(key);
      if (node?.kind !== 'object') return undefined;
      taken.add(key);
      return rowOf(node, `${prefix}${key}.`, log);
    },
    has: (key) => entries.has(key) && entries.get(key)?.kind !== 'null',
    isList: (key) => entries.get(key)?.kind === 'array',
    leave: () => {
      for (const [key, node] of entries)
        if (!taken.has(key) && !isEmpty(node)) log.count(prefix + key, undefined, node.line);
    },
  };
}

interface Taker {
  /** Keys that were asked for. */
  readonly taken: Set<string>;
  readonly take: <T>(key: string, became: string, kind: Kind<T>) => T | undefined;
  readonly items: <T>(key: string, became: string, kind: Kind<T>) => readonly T[];
}

function takerOf({ entries }: JsonObject, prefix: string, log: Log): Taker {
  const taken = new Set<string>();
  const read = <T>(key: string, node: JsonNode, kind: Kind<T>): T | undefined => {
    const value = kind.read(node);
    const wrong = `expected ${kind.name}, not ${kindOf(node.kind)}`;
    if (value === undefined) log.problem(node.line, `${quote(prefix + key)}: ${wrong}`);
    return value;
  };
  const take = <T>(key: string, became: string, kind: Kind<T>): T | undefined => {
    taken.add(key);
    const node = entries.get(key);
    if (node === undefined || node.kind === 'null') return undefined;
    if (!isEmpty(node)) log.count(prefix + key, became, node.line);
    return read(key, node, kind);
  };
  return {
    taken,
    take,
    items: (key, became, kind) =>
      (take(key, became, kinds.list) ?? []).flatMap((node) => {
        const item = read(`${key}[]`, node, kind);
        return item === undefined ? [] : [item];
      }),
  };
}

function wordOf(node: JsonNode): string | undefined {
  if (node.kind === 'text') return node.text;
  return node.kind === 'number' && Number.isSafeInteger(node.number)
    ? String(node.number)
    : undefined;
}

function wordWithLine(node: JsonNode): Word | undefined {
  const text = wordOf(node);
  return text === undefined ? undefined : { text, line: node.line };
}

/** Nothing to map, and so nothing to tell. */
function isEmpty(node: JsonNode): boolean {
  switch (node.kind) {
    case 'null':
      return true;
    case 'text':
      return node.text === '';
    case 'array':
      return node.items.length === 0;
    case 'object':
      return node.entries.size === 0;
    case 'number':
    case 'boolean':
      return false;
  }
}

function kindOf(kind: JsonNode['kind']): string {
  const names: Readonly<Record<JsonNode['kind'], string>> = {
    object: 'an object',
    array: 'a list',
    text: 'a text',
    number: 'a number',
    boolean: 'true or false',
    null: 'null',
  };
  return names[kind];
}
