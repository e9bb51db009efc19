/** The words of a text, in order: runs of letters, digits and apostrophes. */
export function splitWords(text) {
  return text.match(/[\p{L}\p{N}']+/gu) ?? [];
}
