import { countAt } from '../json-fields.ts';
import type { Tokens } from './line.ts';

/** The tokens of an attempt's answers. */
export interface Sum {
  /** What is no whole number, or not there, is not counted. */
  readonly add: (usage: {
    readonly inputTokens?: unknown;
    readonly outputTokens?: unknown;
  }) => void;
  readonly soFar: () => Tokens;
}

export function openSum(): Sum {
  let input: number | null = null;
  let output: number | null = null;
  let isLeast = false;
  return {
    add: (usage) => {
      const [read, written] = [countAt(usage, 'inputTokens'), countAt(usage, 'outputTokens')];
      isLeast ||= read === undefined || written === undefined;
      input = read === undefined ? input : (input ?? 0) + read;
      output = written === undefined ? output : (output ?? 0) + written;
    },
    soFar: () => ({ input, output, ...(isLeast && { atLeast: true }) }),
  };
}
