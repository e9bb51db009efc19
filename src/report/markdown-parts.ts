import { visible } from '../core/text.ts';

/** What a document of Markdown is made of, where the text comes from strangers: plans, agents, gates. */

/**
 * Text on one line that renders as itself, in a paragraph, a heading or a table's cell: no mark-up, HTML, mention, reference
 * or link of it works (CommonMark, "Backslash escapes"; GitHub's own `@user`, `#12` and `GH-12` are broken by an empty comment).
 */
export function markdownText(text: string): string {
  return visible(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[&<>]/g, (char) => entities[char] ?? char)
    .replace(/[\\`*_{}[\]()~|!^$]/g, String.raw`\$&`)
    .replace(/^(?:[#+=-]|\d+(?=[.)]))/, leading)
    .replace(/[@#](?=[\w-])/g, (char) => `${char}<!-- -->`)
    .replace(/GH-(?=\d)/gi, (mark) => `${mark}<!-- -->`)
    .replace(/(?<=\b(?:https?|ftp)):(?=\/\/)|(?<=\bwww)\./gi, (char) => `${char}<!-- -->`);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A mark that begins a heading, a list or a rule only at the beginning of a line. */
function leading(mark: string): string {
  return /^\d/.test(mark) ? `${mark}<!-- -->` : `\\${mark}`;
}

/** Rows as a table, cells as they are: escape what they hold. The first row is the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

/** Text as it is, in a block whose fence is longer than any in it. */
export function markdownFence(text: string, language = ''): string {
  const shown = visible(text).replace(/\n+$/, '');
  const runs = shown.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${shown}\n${fence}`;
}

/** A name or a path, as code, on one line; '' stays ''. */
export function markdownCode(text: string): string {
  return text === '' ? '' : `<code>${markdownText(text)}</code>`;
}
