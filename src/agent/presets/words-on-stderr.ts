import type { ClientExit, Trouble } from '../reading.ts';
import { troubleOf } from '../trouble.ts';

/**
 * What a client that failed wrote last on standard error, where that is all it says of an error. Only a line that it marks
 * as an error is taken at its word.
 */
export function wordsOnStderr({ exit, stderrTail }: ClientExit, now: Date): Trouble | undefined {
  if (exit === null) return undefined;
  const marked = [...stderrTail.matchAll(/^\s*(?:\p{So}\s*)?(?:error|fatal)\b:? ?([^\n]+)/gimu)];
  const said = marked.at(-1)?.[1];
  return said === undefined ? undefined : troubleOf({ message: said.trim() }, now);
}
