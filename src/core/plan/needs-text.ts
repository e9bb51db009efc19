/** The words of a `needs` field or a `Depends On` cell. */
import { range, type Names } from './names.ts';
import { isNone } from './words.ts';

export type NeedsReading =
  /** Nothing was said: the task before it. */
  | { readonly kind: 'predecessor' }
  | {
      readonly kind: 'tasks';
      readonly tasks: readonly number[];
      /** Words that name no task, or more than one. */
      readonly unknown: readonly string[];
      readonly ambiguous: readonly string[];
    };

const keyword = /^(?:tasks?|stor(?:y|ies)|steps?|iterations?)\s+/i;
const all =
  /^all(?:\s+(?:of|the|tasks?|steps?|stories|earlier|previous|prior|preceding|above|before|other))*$/i;

/** `self`: the place of the task that needs them. */
export function readNeeds(text: string, names: Names, self: number): NeedsReading {
  const clean = names.find(text) ? text : plainWords(text);
  if (clean === '') return { kind: 'predecessor' };
  const tasks = new Set<number>();
  const unknown: string[] = [];
  const ambiguous: string[] = [];
  const take = (word: string): boolean => {
    const found = names.find(word);
    if (found?.ambiguous) ambiguous.push(word);
    else found?.tasks.forEach((task) => tasks.add(task));
    return found !== undefined;
  };
  for (const part of partsOf(clean, names)) {
    const bare = part.replace(keyword, '').replace(/\.+$/, '');
    if (part === '' || isNone(beforeDash(part))) continue;
    if (all.test(part)) range(0, self).forEach((task) => tasks.add(task));
    else if (!take(part) && !take(bare)) {
      for (const word of readWords(bare, names, take, tasks)) unknown.push(word);
    }
  }
  return { kind: 'tasks', tasks: [...tasks], unknown, ambiguous };
}

/** A part that is no id as a whole: a span of numbers, an id with its title behind it, several ids in a row. Gives what is unknown. */
function readWords(
  part: string,
  names: Names,
  take: (word: string) => boolean,
  tasks: Set<number>,
): readonly string[] {
  const span = spanOf(part, names);
  if (span) {
    span.forEach((task) => tasks.add(task));
    return [];
  }
  if (take(beforeDash(part))) return [];
  const words = part
    .split(/\s+/)
    .filter((word) => !/^(?:tasks?|stor(?:y|ies)|steps?|iterations?)$/i.test(word));
  // Prose that names no task at all is one mistake, not ten.
  if (words.every((word) => names.find(word) === undefined)) return [part];
  return words.filter((word) => !take(word));
}

/** What stands before an explanation: `none — can start now`, `2: Reports`. */
function beforeDash(part: string): string {
  const end = part.search(/\s[\p{Pd}\u2212]+\s|:\s/u);
  return end < 1 ? part : part.slice(0, end).trim();
}

/** `1-3`, `1–3`, `1..3`: from one task to another, in the plan's order. */
function spanOf(part: string, names: Names): readonly number[] | undefined {
  const [, from = '', to = ''] =
    /^(?:tasks?\s+)?(\d+(?:\.\d+)*)\s*(?:[\p{Pd}\u2212]|\.\.|to)\s*(?:task\s+)?(\d+(?:\.\d+)*)$/iu.exec(
      part,
    ) ?? [];
  const first = names.find(from)?.tasks[0];
  const last = names.find(to)?.tasks.at(-1);
  return first === undefined || last === undefined || first > last
    ? undefined
    : range(first, last + 1);
}

function partsOf(text: string, names: Names): readonly string[] {
  if (names.find(text)) return [text];
  return text.split(/[,;]|\s(?:and|&|\+)\s/i).map((part) => part.trim());
}

/** Without code marks, emphasis, brackets, links and what is in parentheses. */
function plainWords(text: string): string {
  return text
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\([^()]*\)/g, ' ')
    .replace(/[`[\]]|\*{1,2}/g, '')
    .trim();
}
