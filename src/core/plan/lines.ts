/** A file's text, by its own lines: they end at \r\n, \n or \r, as in CommonMark. */
export interface Lines {
  /** Decoded; without a byte order mark. */
  readonly text: string;
  /** Line n is `all[n - 1]`, without its end. */
  readonly all: readonly string[];
  /** Where line n begins in `text`: `starts[n - 1]`. */
  readonly starts: readonly number[];
}

/** Bytes that are no UTF-8 become U+FFFD, which shifts no line: the bytes of a line end are never part of another character. */
export function readLines(bytes: Uint8Array): Lines {
  const text = new TextDecoder().decode(bytes);
  const all: string[] = [];
  const starts: number[] = [];
  let start = 0;
  for (const end of text.matchAll(/\r\n?|\n/g)) {
    all.push(text.slice(start, end.index));
    starts.push(start);
    start = end.index + end[0].length;
  }
  all.push(text.slice(start));
  starts.push(start);
  return { text, all, starts };
}

export function lineAt(lines: Lines, line: number): string {
  return lines.all[line - 1] ?? '';
}

/** Verbatim from one line up to, not including, another; blank lines at the end are left out, and so is the last line's end. */
export function textOf(lines: Lines, from: number, to: number): string {
  let last = Math.min(to - 1, lines.all.length);
  while (last >= from && isBlank(lineAt(lines, last))) last -= 1;
  if (last < from) return '';
  const start = lines.starts[from - 1] ?? 0;
  return lines.text.slice(start, (lines.starts[last - 1] ?? 0) + lineAt(lines, last).length);
}

/** As CommonMark has it: nothing but spaces and tabs. */
export function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}
