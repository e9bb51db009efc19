/** Bounds on what a page holds, so that a browser opens it: in UTF-16 units, which are bytes for most code. */
const MOST_OF_TEXT = 200_000;
const LEAST_OF_TEXT = 2_000;
const MOST_OF_PAGE = 12_000_000;

/** The most that each of texts of these lengths may take, so that all of them fit into one page. */
export function shareOf(lengths: readonly number[]): number {
  let rest = MOST_OF_PAGE;
  const rising = [...lengths].sort((a, b) => a - b);
  for (const [at, length] of rising.entries()) {
    const share = Math.floor(rest / (rising.length - at));
    if (length > share) return Math.max(LEAST_OF_TEXT, Math.min(MOST_OF_TEXT, share));
    rest -= length;
  }
  return MOST_OF_TEXT;
}
