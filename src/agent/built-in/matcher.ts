import { createContext, Script } from 'node:vm';

export interface Matcher {
  /** Indexes of the lines that match; undefined once the time is over. */
  readonly in: (lines: readonly string[]) => readonly number[] | undefined;
}

const script = new Script('lines.flatMap((line, index) => (wanted.test(line) ? [index] : []))');

/**
 * Looks for a regular expression, `limitMs` from now at most: one that backtracks without end could be ended by nothing but the
 * time limit of a context of its own. Throws SyntaxError.
 */
export function openMatcher(pattern: string, limitMs: number): Matcher {
  const context = { wanted: new RegExp(pattern), lines: [] as readonly string[] };
  createContext(context);
  const deadline = performance.now() + limitMs;
  return {
    in: (lines) => {
      const timeout = Math.ceil(deadline - performance.now());
      if (timeout <= 0) return undefined;
      context.lines = lines;
      try {
        return script.runInContext(context, { timeout }) as readonly number[];
      } catch (error) {
        if (isTimeout(error)) return undefined;
        throw error;
      }
    },
  };
}

function isTimeout(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
