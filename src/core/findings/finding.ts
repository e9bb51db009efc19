/** A line of the work tree of which a gate's output says something. */
export interface Finding {
  /** Relative to the top of the work tree, `/` between its parts. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based; absent where the output does not say. */
  readonly column?: number;
  readonly severity: 'error' | 'warning';
  /** The rule, the code or the test that speaks. */
  readonly title?: string;
  readonly message: string;
}

/** A path as a program printed it, as the work tree has it; undefined where it is no file in there. */
export type Resolve = (printed: string) => string | undefined;

/**
 * Reads an output line by line, and remembers what it must. Empty: the line is part of what the reader knows, and no other
 * reader's; undefined: it says nothing to this one.
 */
export type Reader = (line: string) => readonly Finding[] | undefined;

export interface Spot {
  readonly path: string | undefined;
  readonly line: string | undefined;
  readonly column?: string | undefined;
}

/** A finding at a place as it was printed; none where there is no such file or no message. */
export function findingAt(
  { path, line, column }: Spot,
  resolve: Resolve,
  said: Pick<Finding, 'severity' | 'message'> & { readonly title?: string | undefined },
): readonly Finding[] {
  const { severity, title = '' } = said;
  const message = said.message.trim();
  if (Number(line) < 1 || message === '') return [];
  const found = resolve(path ?? '');
  if (found === undefined) return [];
  const place = {
    path: found,
    line: Number(line),
    ...(Number(column) > 0 && { column: Number(column) }),
  };
  return [{ ...place, severity, ...(title !== '' && { title }), message }];
}

/** What the first four groups of a pattern match, '' for those that do not take part; undefined where it does not match. */
export function groupsOf(
  pattern: RegExp,
  text: string,
): readonly [string, string, string, string] | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [, first = '', second = '', third = '', fourth = ''] = found;
  return [first, second, third, fourth];
}
