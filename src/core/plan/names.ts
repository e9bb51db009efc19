/** What finds a task: its id, its number, the id of the group that it is in. */
import type { Group } from './outline.ts';

export interface Named {
  readonly id: string;
  /** Other words that find it, as the number in its heading. */
  readonly aliases: readonly string[];
}

export interface Names {
  /** The tasks that a word means, by their place in the plan; several for a group or, wrongly, for a number that stands twice. */
  readonly find: (word: string) => Found | undefined;
}

export interface Found {
  readonly tasks: readonly number[];
  /** The word is one task's as much as another's. */
  readonly ambiguous: boolean;
}

/** `byPlace`: `2` is the second task, where nothing else is called so. */
export function namesOf(
  tasks: readonly Named[],
  groups: readonly Group[],
  byPlace: boolean,
): Names {
  const ids = collect(tasks.map(({ id }) => [id]));
  const aliases = collect(tasks.map(({ aliases: words }) => words));
  const folded = collect(tasks.map((task) => [task.id, ...task.aliases].map(fold)));
  const members = new Map(
    groups.flatMap(({ title, from, to }) =>
      [title.id ?? [], title.alias ?? []].flat().map((word) => [word, range(from, to)] as const),
    ),
  );
  const atPlace = (word: string): readonly number[] => {
    const place = byPlace && /^\d{1,9}$/.test(word) ? Number(word) : 0;
    return place >= 1 && place <= tasks.length ? [place - 1] : [];
  };
  const find = (word: string): Found | undefined => {
    const exact = ids.get(word) ?? aliases.get(word);
    const group = exact ? undefined : members.get(word);
    if (group) return { tasks: group, ambiguous: false };
    const found = exact ?? folded.get(fold(word)) ?? atPlace(word);
    return found.length === 0 ? undefined : { tasks: found, ambiguous: found.length > 1 };
  };
  return { find };
}

/** Case and a number's zeros in front do not matter. */
function fold(word: string): string {
  return word.toLowerCase().replace(/^0+(?=\d)/, '');
}

function collect(words: readonly (readonly string[])[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  words.forEach((list, index) => {
    for (const word of new Set(list)) {
      const known = found.get(word);
      if (known) known.push(index);
      else found.set(word, [index]);
    }
  });
  return found;
}

export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
