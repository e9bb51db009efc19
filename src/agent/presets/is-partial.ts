import { countAt, objectAt, type JsonObject } from '../json-fields.ts';

/** Names of counts; one inside of an object is written `cache.read`. */
interface CountNames {
  readonly always: readonly string[];
  /** Left out, or null, where there is nothing to count. */
  readonly sometimes: readonly string[];
}

/** Whether one of the counts is not there, or is no count: then a sum with them is a least one. */
export function isPartial(counts: JsonObject, { always, sometimes }: CountNames): boolean {
  const isCount = (name: string): boolean => countAt(counts, ...name.split('.')) !== undefined;
  return (
    !always.every(isCount) ||
    !sometimes.every((name) => isNothing(counts, name.split('.')) || isCount(name))
  );
}

function isNothing(counts: JsonObject, path: readonly string[]): boolean {
  const holder = objectAt(counts, ...path.slice(0, -1));
  return (holder?.[path.at(-1) ?? ''] ?? null) === null;
}
