/**
 * Whether two lists of paths and globs may name a file in common. It errs on the side of yes: a glob stands for all that begins
 * like it does before its first special character.
 */
export function mayOverlap(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => touches(one, other)));
}

function touches(a: string, b: string): boolean {
  const [left, right] = [fixedPart(a), fixedPart(b)];
  if (left.isWhole && right.isWhole)
    return isAtOrUnder(left.text, right.text) || isAtOrUnder(right.text, left.text);
  if (left.isWhole) return left.text.startsWith(right.text) || isAtOrUnder(right.text, left.text);
  if (right.isWhole) return right.text.startsWith(left.text) || isAtOrUnder(left.text, right.text);
  return left.text.startsWith(right.text) || right.text.startsWith(left.text);
}

function isAtOrUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function fixedPart(glob: string): { readonly text: string; readonly isWhole: boolean } {
  const clean = glob.replace(/^\.\//, '').replace(/\/+$/, '');
  const at = clean.search(/[*?[{(!+@\\]/);
  return at === -1 ? { text: clean, isWhole: true } : { text: clean.slice(0, at), isWhole: false };
}
