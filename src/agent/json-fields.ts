/** A parsed JSON object of a stranger: nothing is known of its fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** undefined for anything but one whole JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The object behind a path of keys, if there is one. */
export function objectAt(from: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  return asObject(valueAt(from, path));
}

/** The text behind a path of keys; '' counts as none. */
export function textAt(from: JsonObject, ...path: readonly string[]): string | undefined {
  const value = valueAt(from, path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The number behind a path of keys, finite and not negative. */
export function numberAt(from: JsonObject, ...path: readonly string[]): number | undefined {
  const value = valueAt(from, path);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** More tokens, or US dollars, than any step takes: sums of such numbers stay exact and finite. */
const MOST_COUNTED = 1e12;

/** The count behind a path of keys: a whole number, not negative. Anything else is none, and never rounded to one. */
export function countAt(from: JsonObject, ...path: readonly string[]): number | undefined {
  const count = numberAt(from, ...path);
  return Number.isInteger(count) ? upToMost(count) : undefined;
}

/** The US dollars behind a path of keys. */
export function usdAt(from: JsonObject, ...path: readonly string[]): number | undefined {
  return upToMost(numberAt(from, ...path));
}

function upToMost(number: number | undefined): number | undefined {
  return number === undefined || number > MOST_COUNTED ? undefined : number;
}

/** The objects of the list behind a path of keys; what else it holds is left out. */
export function listAt(from: JsonObject, ...path: readonly string[]): readonly JsonObject[] {
  const value = valueAt(from, path);
  if (!Array.isArray(value)) return [];
  return value.map(asObject).filter((item) => item !== undefined);
}

function valueAt(from: JsonObject, path: readonly string[]): unknown {
  let value: unknown = from;
  for (const key of path) {
    const object = asObject(value);
    if (object === undefined || !Object.hasOwn(object, key)) return undefined;
    value = object[key];
  }
  return value;
}

function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}
