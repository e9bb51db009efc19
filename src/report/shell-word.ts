import { shellWord } from '../core/shell-word.ts';

export { shellWord };

/** A command line of several words. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
