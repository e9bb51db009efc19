/** How the line begins that states a cut. */
export const cutMark = '[… ';

/** The text, or its first third and its end with the cut stated between them, cut between lines where there are any. In UTF-16 units. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = wholeLines(text.slice(0, Math.floor(most / 3)));
  const tail = endLines(text.slice(text.length - Math.floor((most * 2) / 3)));
  const left = text.length - head.length - tail.length;
  return `${head}\n${cutMark}${left.toLocaleString('en')} characters left out …]\n${tail}`;
}

function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > 0 ? text.slice(0, end) : text.replace(/[\ud800-\udbff]$/, '');
}

function endLines(text: string): string {
  const begin = text.indexOf('\n');
  return begin >= 0 && begin < text.length - 1
    ? text.slice(begin + 1)
    : text.replace(/^[\udc00-\udfff]/, '');
}
