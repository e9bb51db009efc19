/** A name in a template for which a text comes: `{{task}}`. Anything else in braces is text. */
const hole = /\{\{\s*([A-Za-z_]+)\s*\}\}/g;

export interface UnknownHole {
  readonly name: string;
  /** 1-based. */
  readonly line: number;
}

/** Holes that nothing is known for. */
export function unknownHoles(template: string, known: readonly string[]): readonly UnknownHole[] {
  return template
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(hole)]
        .map(([, name = '']) => ({ name, line: index + 1 }))
        .filter(({ name }) => !known.includes(name)),
    );
}

/**
 * The template with its holes filled, once: what looks like a hole in a filled-in text is text. A line that holds nothing
 * but a hole goes, with the blank line after it, where there is nothing to fill in.
 */
export function fillTemplate(template: string, texts: Readonly<Record<string, string>>): string {
  const textOf = (name: string): string => texts[name] ?? '';
  return template
    .replaceAll('\r\n', '\n')
    .replace(/^[ \t]*\{\{\s*([A-Za-z_]+)\s*\}\}[ \t]*\n(?:[ \t]*\n)?/gm, (line, name: string) =>
      textOf(name) === '' ? '' : line,
    )
    .replace(hole, (_, name: string) => textOf(name));
}
