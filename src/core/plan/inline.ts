/** Code spans and HTML comments in a text, by CommonMark's precedence: what begins first wins. Linear in the text. */
interface Span {
  readonly kind: 'code' | 'comment';
  readonly start: number;
  readonly end: number;
}

function spansOf(text: string): readonly Span[] {
  if (!text.includes('`') && !text.includes('<!--')) return [];
  const codeEnd = backtickRuns(text);
  const lastComment = text.lastIndexOf('-->');
  const spans: Span[] = [];
  const start = /\\[^\n]|`+|<!--/g;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const [opening] = found;
    if (opening.startsWith('\\')) continue;
    const isComment = opening === '<!--';
    if (isComment && start.lastIndex > lastComment) continue;
    const end = isComment
      ? text.indexOf('-->', start.lastIndex) + 3
      : codeEnd(opening, found.index);
    if (end === undefined) continue;
    spans.push({ kind: isComment ? 'comment' : 'code', start: found.index, end });
    start.lastIndex = end;
  }
  return spans;
}

/** Where the code span ends that a run of backticks opens at a place; places must be asked for in rising order. */
function backtickRuns(text: string): (run: string, at: number) => number | undefined {
  const runs = new Map<number, { readonly places: number[]; next: number }>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = runs.get(run.length);
    if (known) known.places.push(index);
    else runs.set(run.length, { places: [index], next: 0 });
  }
  return (run, at) => {
    const same = runs.get(run.length);
    if (!same) return undefined;
    while ((same.places[same.next] ?? Infinity) <= at) same.next += 1;
    const place = same.places[same.next];
    return place === undefined ? undefined : place + run.length;
  };
}

export interface Uncommented {
  readonly text: string;
  /** What stands between `<!--` and `-->`, with where the comment begins. */
  readonly comments: readonly { readonly content: string; readonly start: number }[];
}

/** The text without its HTML comments; those in code spans are code. */
export function withoutComments(text: string): Uncommented {
  if (!text.includes('<!--')) return { text, comments: [] };
  const comments = spansOf(text).filter(({ kind }) => kind === 'comment');
  let end = 0;
  let rest = '';
  for (const comment of comments) {
    rest += text.slice(end, comment.start).trimEnd();
    end = comment.end;
  }
  return {
    text: (rest + text.slice(end)).trim(),
    comments: comments.map((c) => ({
      content: text.slice(c.start + 4, c.end - 3),
      start: c.start,
    })),
  };
}

/** Of the same length, with code spans blanked: a place found in it is a place in the text. */
export function withoutCode(text: string): string {
  let end = 0;
  let rest = '';
  for (const span of spansOf(text).filter(({ kind }) => kind === 'code')) {
    rest += text.slice(end, span.start) + '\0'.repeat(span.end - span.start);
    end = span.end;
  }
  return rest + text.slice(end);
}
