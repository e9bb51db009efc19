import { firstCharacters } from './problem.ts';

const LONGEST_ID = 60;

/**
 * An id from a title: lower case, everything but letters and digits of any script as `-`, at most 60 characters; `task`
 * where nothing is left (contract, "PLAN.md"). Marks belong to the letter before them.
 */
export function idFromTitle(title: string): string {
  // Only so much can matter: a title may be a megabyte.
  const parts =
    title
      .slice(0, 10_000)
      .toLowerCase()
      .match(/(?:\p{L}\p{M}*|\p{N})+/gu) ?? [];
  return firstCharacters(parts.join('-'), LONGEST_ID).replace(/-+$/, '') || 'task';
}

/** Hands out ids: what is taken gets `-2`, `-3`… Linear, also where all ask for the same. */
export function idGiver(taken: Iterable<string>): (wanted: string) => string {
  const given = new Set(taken);
  const counts = new Map<string, number>();
  return (wanted) => {
    let count = counts.get(wanted) ?? 1;
    let id = count === 1 ? wanted : `${wanted}-${count}`;
    while (given.has(id)) {
      count += 1;
      id = `${wanted}-${count}`;
    }
    counts.set(wanted, count);
    given.add(id);
    return id;
  };
}
