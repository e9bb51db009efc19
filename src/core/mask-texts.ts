import type { Mask } from './mask.ts';

/**
 * What people read, wherever it stands in an event. Names, ids, refs, tokens, paths of logs and digests are left: recovery, `--replay`
 * and `verify` look things up by them.
 */
const texts: ReadonlySet<string> = new Set([
  ...['command', 'detail', 'ended', 'message', 'mend', 'paths', 'tail', 'title', 'why'],
]);

/** A value of JSON's kinds with every text for people masked. */
export function maskTexts<T>(value: T, mask: Mask): T {
  if (Array.isArray(value)) return value.map((item: unknown) => maskTexts(item, mask)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      texts.has(key) ? mask.value<unknown>(item) : maskTexts<unknown>(item, mask),
    ]),
  ) as T;
}

/** By these, programs find what they were told of before: they are printed as they are. */
const handles: ReadonlySet<string> = new Set([
  ...[
    'type',
    'run',
    'at',
    'plan',
    'task',
    'id',
    'attempt',
    'kind',
    'token',
    'ref',
    'tag',
    'commit',
  ],
  ...['tree', 'log', 'digest'],
]);

/** What `--json` prints, with every string masked that is no handle, so that it stays JSON whatever a secret looks like. */
export function maskFields<T>(value: T, mask: Mask): T {
  if (typeof value === 'string') return mask.value(value);
  if (Array.isArray(value)) return value.map((item: unknown) => maskFields(item, mask)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      handles.has(key) && typeof item === 'string' ? item : maskFields<unknown>(item, mask),
    ]),
  ) as T;
}
