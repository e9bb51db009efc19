/** Only digits and what stands between them in dates and times. */
const noName = /^[\d.:TZ+-]*$/;
/** What no checkout holds. */
const notOurs: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * A path that a program printed, relative to the top of the work tree; undefined where it leads out of it, and for what only
 * looks like a path (an address, a time). `tops`: absolute folders that stand for the top, without a slash at the end.
 */
export function relativePath(printed: string, tops: readonly string[]): string | undefined {
  const path = printed.trim().replace(/^file:\/\/(?=\/)/, '');
  if (path.length > 1000 || noName.test(path) || path.includes('://') || path.includes('\\'))
    return undefined;
  const inside = path.startsWith('/') ? below(path, tops) : path;
  const parts = inside === undefined ? undefined : resolved(inside);
  if (parts === undefined || parts.some((part) => notOurs.has(part))) return undefined;
  return parts.join('/');
}

function below(path: string, tops: readonly string[]): string | undefined {
  const top = tops.find((one) => path.startsWith(`${one}/`));
  return top === undefined ? undefined : path.slice(top.length + 1);
}

function resolved(path: string): readonly string[] | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts;
}
