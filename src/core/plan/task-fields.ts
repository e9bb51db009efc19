/** A task's fields as values: what they configure, and what of them is wrong. */
import type { TaskConfig } from '../config/config.ts';
import { configKeys, propertyOf, type ConfigKey } from '../config/keys.ts';
import { readValue } from '../config/read-value.ts';
import type { YamlNode } from './yaml-node.ts';
import type { Problem } from './problem.ts';
import type { Field } from './section.ts';
import { itemPath, leadingCode, splitGlobs, unquoted } from './words.ts';

export interface TaskFields {
  readonly id: { readonly id: string; readonly line: number } | undefined;
  readonly needs: readonly Need[];
  readonly goal: string;
  readonly files: readonly string[];
  readonly config: TaskConfig;
  readonly problems: readonly Problem[];
}

/** One `needs` field; '' for an empty one. */
export interface Need {
  readonly text: string;
  readonly line: number;
}

const taskKeys = configKeys.filter(({ places }) => places.includes('task'));
const lists = ['needs', 'files', 'gate', 'may_change', 'acceptance'];

export function readTaskFields(fields: readonly Field[]): TaskFields {
  if (fields.length === 0) return noFields;
  const of = (name: string): readonly Field[] => fields.filter(({ field }) => field === name);
  const ids = of('id').map((field) => ({ id: onlyValue(field), line: field.line }));
  const config = readTaskConfig(fields);
  const noId = ids.filter(({ id }) => id === '');
  return {
    id: ids.find(({ id }) => id !== ''),
    needs: of('needs').map(needOf),
    goal: of('goal')
      .map(({ value }) => value)
      .join('\n'),
    files: [...new Set(of('files').flatMap(globsOf))],
    config: config.values,
    problems: [
      ...noId.map(({ line }) => ({ line, message: '`id`: expected a word, not nothing' })),
      ...repeated(fields),
      ...config.problems,
    ],
  };
}

const noFields: TaskFields = {
  id: undefined,
  needs: [],
  goal: '',
  files: [],
  config: {},
  problems: [],
};

function needOf({ value, items, line }: Field): Need {
  return { text: [value, ...items].filter((part) => part !== '').join(', '), line };
}

function onlyValue({ value, items }: Field): string {
  return unquoted(value === '' && items.length === 1 ? (items[0] ?? '') : value);
}

function globsOf({ value, items }: Field): readonly string[] {
  return [...splitGlobs(value), ...items.flatMap((item) => itemPath(item) ?? [])];
}

/** Lists add up; anything else may be said once. */
function repeated(fields: readonly Field[]): readonly Problem[] {
  const first = new Map<string, Field>();
  return fields.flatMap((field) => {
    const before = first.get(field.field);
    if (!before) first.set(field.field, field);
    if (!before || lists.includes(field.field) || field.field === 'goal') return [];
    const message = `\`${field.field}\` stands twice in this task, first on line ${before.line}`;
    return [{ line: field.line, message }];
  });
}

function readTaskConfig(fields: readonly Field[]): {
  readonly values: TaskConfig;
  readonly problems: readonly Problem[];
} {
  const values: [string, unknown][] = [];
  const problems: Problem[] = [];
  for (const key of taskKeys) {
    const given = fields.filter(({ field }) => field === key.name);
    const [first] = given;
    if (!first) continue;
    const spot = { label: key.name, line: first.line, ofTask: true } as const;
    const read = readValue(key.type, nodeOf(key, given, first.line), spot);
    for (const problem of read.problems) problems.push(problem);
    if (read.value !== undefined) values.push([propertyOf(key.name), read.value]);
  }
  // Which type a property has stands in the table of keys; a test compares the two.
  return { values: Object.fromEntries(values), problems };
}

function nodeOf({ type }: ConfigKey, fields: readonly Field[], line: number): YamlNode {
  if (type.kind !== 'globs' && type.kind !== 'commands') {
    const text = fields[0] ? onlyValue(fields[0]) : '';
    return text === '' ? { kind: 'nothing', line } : { kind: 'text', text, line };
  }
  const texts = type.kind === 'globs' ? globsOf : commandsOf;
  const items = fields.flatMap((field) =>
    texts(field).map((text): YamlNode => ({ kind: 'text', text, line: field.line })),
  );
  return items.length === 0 ? { kind: 'nothing', line } : { kind: 'list', items, line };
}

function commandsOf({ value, items }: Field): readonly string[] {
  const commands = items.map((item) => leadingCode(item) ?? item);
  return [unquoted(value), ...commands].filter((command) => command !== '');
}
