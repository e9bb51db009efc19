/** Where the bytes were taken out of something longer. */
export interface Cut {
  readonly start: boolean;
  readonly end: boolean;
}

/**
 * Output of a program as text: UTF-8, with U+FFFD for what is not. Nothing is taken out: escape sequences, NULs and carriage
 * returns are for `core/text.ts` to judge. Cut at the start, it begins with a whole line, or where there is only one with a
 * whole character; cut at the end, it ends with a whole character.
 */
export function outputText(bytes: Uint8Array, cut: Cut): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(cut.start ? fromWholeLine(bytes) : bytes, { stream: cut.end });
}

function fromWholeLine(bytes: Uint8Array): Uint8Array {
  const lineFeed = bytes.indexOf(0x0a);
  if (lineFeed >= 0 && lineFeed < bytes.length - 1) return bytes.subarray(lineFeed + 1);
  // A character has at most three continuation bytes; more of them are none of UTF-8, and kept.
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(Math.max(0, start));
}
