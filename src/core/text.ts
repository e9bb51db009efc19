/**
 * Text of strangers (agents, gates, plans, file names) as people and prompts may see it: it can neither move the
 * cursor, nor fake a line of ours, nor fill the screen.
 */

/** ECMA-48: CSI (colours, cursor), OSC and its kin (titles, links) with their end, character set choices, two-character sequences. Linear: no part matches what the next begins with. */
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\n\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]+[0-~]|\u001b[78=>cDEHMNOZ]/g;
const unseen = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Escape sequences removed, every other control, bidirectional and separator character but newline and tab made visible (`␛`, `\x9b`, `\u202e`). */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(sequences, '')
    .replace(unseen, (char) => (char === '\n' || char === '\t' ? char : picture(char)));
}

/** Whether it is printable ASCII and nothing else, as nearly every line is: nothing in it needs a closer look. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** As `visible`, on one line: newlines and tabs become visible too. */
export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return visible(text).replace(/[\n\t]/g, picture);
}

function picture(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return code < 0x100 ? `\\x${code.toString(16)}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** At most `most` bytes of UTF-8, `…` included where it was cut; never half a character. */
export function clip(text: string, most: number): string {
  // Only so much can fit: a line of 100 MB is not encoded whole.
  const bytes = new TextEncoder().encode(text.slice(0, most + 1));
  if (bytes.length <= most) return text;
  let end = Math.max(0, most - 3);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${new TextDecoder().decode(bytes.subarray(0, end))}…`;
}

export interface Most {
  readonly lines: number;
  /** Of UTF-8, the line that states the cut left aside. */
  readonly bytes: number;
}

const LONGEST_LINE = 500;

/**
 * The lines that matter of an output of which the first and the last part are known (equal: it is all there is). All of a
 * short output; of a long one the first third and last two thirds of what fits, with the cut stated between them.
 */
export function excerpt(head: string, tail: string, most: Most): string {
  const first = linesOf(head);
  const last = head === tail ? first : linesOf(tail);
  if (head === tail && fits(first, most)) return first.join('\n');
  const share = { lines: Math.floor(most.lines / 3), bytes: Math.floor(most.bytes / 3) };
  const begin = takeLines(first, share);
  const rest = { lines: most.lines - begin.length, bytes: most.bytes - sizeOf(begin) };
  const end = takeLines([...last].reverse(), rest).reverse();
  const left = head === tail ? `${first.length - begin.length - end.length} lines` : 'more';
  return [...begin, `[… ${left} left out …]`, ...end].join('\n');
}

/** Carriage returns end a line too: what a progress bar overwrote is shown, not hidden. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => clip(visible(line).trimEnd(), LONGEST_LINE));
  const isText = (line: string): boolean => line !== '';
  return lines.slice(Math.max(0, lines.findIndex(isText)), lines.findLastIndex(isText) + 1);
}

function takeLines(lines: readonly string[], most: Most): string[] {
  const taken: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += byteLength(line) + 1;
    if (taken.length === most.lines || bytes > most.bytes) break;
    taken.push(line);
  }
  return taken;
}

function fits(lines: readonly string[], most: Most): boolean {
  return lines.length <= most.lines && sizeOf(lines) <= most.bytes;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
}
