/** A word as it can be pasted into a POSIX shell: quoted only where it must be. */
export function shellWord(word: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-][\p{L}\p{N}_@%+=:,./#-]*$/u.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
