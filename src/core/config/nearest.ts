/** The one of `names` that a person most likely meant: the same but for case, one edit away, or two where both begin alike or are long. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word);
  let best: { name: string; edits: number } | undefined;
  for (const name of names) {
    const edits = distance(wanted, plain(name));
    if (isNear(wanted, name, edits) && edits < (best?.edits ?? Infinity)) best = { name, edits };
  }
  return best?.name;
}

const SHORT = 3;
const LONG = 6;

function isNear(word: string, name: string, edits: number): boolean {
  if (edits === 0) return true;
  if (word.length < SHORT || edits > 2) return false;
  const alike = name.length > SHORT && name.startsWith(word.charAt(0));
  return edits <= 1 || alike || Math.min(word.length, name.length) >= LONG;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[- ]/g, '_');
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. Gives 3 where lengths alone say so. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (same ? 0 : 1),
        swapped ? at(before, j - 2) + 1 : Infinity,
      );
      row.push(edits);
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
