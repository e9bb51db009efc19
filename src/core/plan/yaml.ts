/**
 * YAML by way of gray-matter, with its traps shut: the language is never taken from the text, no engine but YAML's is
 * there, options are always passed (without, results are cached and an error is swallowed the second time), and the
 * failsafe schema leaves every scalar the text it is (`007`, `1.10`, `12:30`).
 */
import matter from 'gray-matter';
import yaml from 'js-yaml';
import { quote, type Problem } from './problem.ts';
import { yamlPlaces, type Composer, type Place, type YamlPlaces } from './yaml-places.ts';
import type { YamlEntry, YamlMap, YamlNode } from './yaml-node.ts';

export interface YamlReading {
  readonly map: YamlMap;
  readonly problems: readonly Problem[];
}

const MOST_CHARACTERS = 65_536;
const MOST_LINES = 2000;

/** The document that stands on these lines, the first of which is line `first` of the file. Never throws. */
export function readYaml(lines: readonly string[], first: number): YamlReading {
  const empty: YamlMap = { kind: 'map', entries: [], line: first };
  const refused = refusals(lines, first);
  if (refused.length > 0) return { map: empty, problems: refused };
  const places = yamlPlaces(first - 1);
  try {
    const node = toNode(parse(lines, places), places, { line: first, column: 1 });
    if (node.kind === 'nothing') return { map: empty, problems: places.anchors };
    if (node.kind === 'map') return { map: node, problems: places.anchors };
    return { map: empty, problems: [{ line: first, message: 'expected lines of `key: value`' }] };
  } catch (error) {
    return { map: empty, problems: [problemOf(error, first, first + lines.length - 1)] };
  }
}

/** What the YAML reader takes without a word, but not as its writer meant it, and what it would take too long over. */
function refusals(lines: readonly string[], first: number): readonly Problem[] {
  const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (size > MOST_CHARACTERS || lines.length > MOST_LINES) {
    const message = `too long: at most ${MOST_CHARACTERS} characters and ${MOST_LINES} lines of YAML`;
    return [{ line: first, message }];
  }
  return lines.flatMap((text, index) => {
    const line = first + index;
    if (/^ *\t/.test(text) && text.trim() !== '') {
      return [
        { line, column: text.indexOf('\t') + 1, message: 'a tab in the indentation: use spaces' },
      ];
    }
    const isMark = text.startsWith('---') || /^(?:\.\.\.|%)/.test(text);
    return isMark
      ? [{ line, column: 1, message: `${quote(text)} has no place in one document` }]
      : [];
  });
}

function parse(lines: readonly string[], places: YamlPlaces): unknown {
  const deny = (): never => {
    throw new Error('only YAML is read');
  };
  const options = {
    engines: { javascript: deny, json: deny, coffee: deny },
    language: 'yaml',
    schema: yaml.FAILSAFE_SCHEMA,
    listener: (event: 'open' | 'close', composer: Composer) => places.note(event, composer),
  };
  return matter(`---\n${lines.join('\n')}\n---\n`, options).data;
}

function toNode(value: unknown, places: YamlPlaces, at: Place): YamlNode {
  const { line } = at;
  if (typeof value === 'string') return { kind: 'text', text: value, line };
  if (typeof value !== 'object' || value === null) return { kind: 'nothing', line };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      toNode(item, places, places.itemOf(value, index) ?? at),
    );
    return { kind: 'list', items, line };
  }
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]): YamlEntry => {
    const place = places.keyOf(value, key) ?? at;
    return { key, line: place.line, column: place.column, value: toNode(inner, places, place) };
  });
  return { kind: 'map', entries, line };
}

interface Marked {
  readonly reason: string;
  readonly mark: { readonly line: number; readonly column: number };
}

/** An error at the end of the text stands on its last line. */
function problemOf(error: unknown, first: number, last: number): Problem {
  if (isMarked(error)) {
    const { reason, mark } = error;
    const line = mark.line + first - 1;
    const message = `YAML: ${reason}`;
    return line > last
      ? { line: Math.max(first, last), message }
      : { line, column: mark.column + 1, message };
  }
  const reason = error instanceof RangeError ? 'nested too deeply' : String(error);
  return { line: first, message: `YAML: ${reason}` };
}

function isMarked(error: unknown): error is Marked {
  return error instanceof Error && 'mark' in error && 'reason' in error && error.mark !== undefined;
}
