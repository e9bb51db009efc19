import { visible } from '../core/text.ts';

/** Words with which checkers of all sorts begin what matters. */
const matters =
  /\b(?:errors?|fail\w*|not ok|expected|actual|assert\w*|\w*(?:Error|Exception)|panic\w*|undefined|missing|cannot|no such|denied)\b|[✗✖✘×]/i;

/** The lines of a program's output that matter most, at most `most`, in their order: those that speak of an error, and the last. */
export function tellingLines(output: string, most = 8): readonly string[] {
  const lines = visible(output)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const chosen = new Set(choose(lines, most));
  return lines.filter((_, at) => chosen.has(at));
}

function choose(lines: readonly string[], most: number): readonly number[] {
  const isNew = (line: string, at: number): boolean => lines.indexOf(line) === at;
  const telling = lines.flatMap((line, at) => (matters.test(line) && isNew(line, at) ? [at] : []));
  const last = lines.map((_, at) => lines.length - 1 - at);
  const atLeastLast = Math.min(2, most);
  return [...new Set([...telling.slice(0, most - atLeastLast), ...last])].slice(0, most);
}
