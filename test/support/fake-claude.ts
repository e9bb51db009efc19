import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `claude -p --output-format stream-json` prints of one answer, and at its end. */
export function answer(id: string, input: number, output: number): string {
  const usage = { input_tokens: input, output_tokens: output };
  return JSON.stringify({ type: 'assistant', message: { id, content: [], usage } });
}

export function resultLine(usage: {
  readonly input: number;
  readonly output: number;
  readonly usd: number;
}): string {
  return JSON.stringify({
    ...{ type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 's1' },
    total_cost_usd: usage.usd,
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  });
}

/** A program called `claude` that is signed in, reads its prompt and does what the shell script says; gives the folder for PATH. */
export function fakeClaude(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'claude');
  writeFileSync(file, `#!/bin/sh\n[ "$1" != auth ] || exit 0\ncat > /dev/null\n${script}\n`);
  chmodSync(file, 0o755);
  return folder;
}

/** A shell command that prints a line. */
export function says(line: string): string {
  return `printf '%s\\n' '${line.replaceAll("'", String.raw`'\''`)}'`;
}
