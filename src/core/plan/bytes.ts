/** A file's bytes by its own lines, for changes that leave every other byte alone. */

const LF = 0x0a;
const CR = 0x0d;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** One line: its text from `start` to `end`, its line end up to `next`. */
export interface ByteLine {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** The same lines as those of the text: no byte of a line end is ever part of another character in UTF-8. */
export function byteLines(bytes: Uint8Array): readonly ByteLine[] {
  const lines: ByteLine[] = [];
  let start = byteOrderMark.every((byte, index) => bytes[index] === byte)
    ? byteOrderMark.length
    : 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== LF && byte !== CR) continue;
    const next = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
    lines.push({ start, end: at, next });
    start = next;
    at = next - 1;
  }
  lines.push({ start, end: bytes.length, next: bytes.length });
  return lines;
}

/** Puts `text` in place of the bytes from `from` up to, not including, `to`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: Uint8Array;
}

/** `edits`: in rising order, none over another. */
export function edited(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const grown = edits.reduce((sum, { from, to, text }) => sum + text.length - (to - from), 0);
  const result = new Uint8Array(bytes.length + grown);
  let [read, written] = [0, 0];
  for (const { from, to, text } of edits) {
    result.set(bytes.subarray(read, from), written);
    written += from - read;
    result.set(text, written);
    written += text.length;
    read = to;
  }
  result.set(bytes.subarray(read), written);
  return result;
}
