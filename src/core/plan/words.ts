/** Lists as people write them in one line or as items. */

/** Paths and globs, apart by blanks or commas; `{a,b}` stays whole, backticks go. */
export function splitGlobs(text: string): readonly string[] {
  const words = text.replaceAll('`', ' ').match(/(?:\{[^{}]*\}|[^\s,])+/g) ?? [];
  return words.filter((word) => !isNone(word));
}

/** Of an item: what it begins with in backticks, or its first word. */
export function itemPath(item: string): string | undefined {
  const path = leadingCode(item) ?? /^[^\s,]+/.exec(item)?.[0];
  return path === undefined || isNone(path) ? undefined : path;
}

export function leadingCode(text: string): string | undefined {
  return /^`([^`]+)`/.exec(text)?.[1]?.trim();
}

/** A value that is one code span is what is in it. */
export function unquoted(text: string): string {
  return /^`([^`]*)`$/.exec(text.trim())?.[1]?.trim() ?? text.trim();
}

/** `—`, `none`, `N/A`: the ways to say that there is nothing. */
export function isNone(text: string): boolean {
  return /^(?:[\p{Pd}\u2212]+|none|nothing|n\/?a|nil|∅)\.?$/iu.test(text.trim());
}
