/** Something a person has to mend, or should know, with where it stands in their file. */
export interface Problem {
  /** 1-based, in the file's own lines (front matter counts). */
  readonly line: number;
  /** 1-based. */
  readonly column?: number;
  readonly message: string;
}

const LONGEST_QUOTE = 80;

/** A stranger's text as a message may repeat it: in backticks, at most 80 characters. */
export function quote(text: string): string {
  const first = firstCharacters(text, LONGEST_QUOTE);
  return first === text ? `\`${text}\`` : `\`${firstCharacters(text, LONGEST_QUOTE - 1)}…\``;
}

/** At most so many characters, none of them cut in half; looks at no more than that of the text. */
export function firstCharacters(text: string, most: number): string {
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('');
}

export function byLine(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0));
}
