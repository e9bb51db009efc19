/** What of an agent's answer is the plan. */

const fence = /^(`{3,}|~{3,})[ \t]*(\w*)[ \t]*$/;

/**
 * The plan in what an agent printed: the block that it put the plan in, else all from the first line that a plan can begin with. '' where
 * there is none. With `\n` as line ends, and one at its end.
 */
export function planTextIn(answer: string): string {
  const lines = answer
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  const begin = lines.findIndex((line) => isBegin(line) || isOpening(line));
  if (begin === -1) return '';
  const first = lines[begin] ?? '';
  const rest = lines.slice(begin);
  return finish(isOpening(first) ? withoutFence(rest) : rest);
}

function isBegin(line: string): boolean {
  return /^(?:#{1,4}[ \t]+\S|---[ \t]*$|[-*+][ \t]+\[[ xX-]\][ \t])/.test(line);
}

/** A block of code in another language is no plan. */
function isOpening(line: string): boolean {
  const [, , language] = fence.exec(line) ?? [];
  return language !== undefined && ['', 'md', 'markdown'].includes(language.toLowerCase());
}

/** The last fence as long as the first one closes it: those between belong to the plan. */
function withoutFence(lines: readonly string[]): readonly string[] {
  const [, marks = ''] = fence.exec(lines[0] ?? '') ?? [];
  const end = lines.findLastIndex((line, at) => at > 0 && line.trimEnd() === marks);
  return lines.slice(1, end === -1 ? undefined : end);
}

function finish(lines: readonly string[]): string {
  const text = lines.join('\n').trim();
  return text === '' ? '' : `${text}\n`;
}

export interface Parted {
  /** With its end; '' where there is none. */
  readonly front: string;
  readonly rest: string;
}

/** A plan's front matter, and what comes after it. */
export function partFrontMatter(text: string): Parted {
  const [front = ''] =
    /^(?:\uFEFF)?---[ \t]*\r?\n(?:[^]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  return { front, rest: text.slice(front.length) };
}
