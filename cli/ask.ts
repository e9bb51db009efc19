import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';

/** A person's answer, '' at the end of input; undefined where standard input or error is no terminal, so that nobody can be asked. */
export async function ask(question: string): Promise<string | undefined> {
  if (!isatty(0) || !isatty(2)) return undefined;
  process.stderr.write(question);
  // As no terminal: else readline would take a Ctrl-C for itself.
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as string[];
    return line ?? '';
  } finally {
    lines.close();
    process.stdin.unref();
  }
}
