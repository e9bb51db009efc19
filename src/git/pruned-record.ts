import { appendFileSync, mkdirSync } from 'node:fs';
import { toByteName, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { readRegular } from './raw-files.ts';

/** What `gc` took, so that `show`, `log` and `restore` can say so of what is missing. Absolute path of the common git directory. */
function recordPath(commonDir: string): ByteName {
  return `${toByteName(commonDir)}/skeleton/pruned`;
}

/** Full ref names, and paths relative to the state folder. */
export function readPruned(commonDir: string): ReadonlySet<string> {
  const lines = readRegular(recordPath(commonDir))?.toString('utf8').split('\n') ?? [];
  return new Set(lines.flatMap((line) => nameIn(line)));
}

function nameIn(line: string): readonly string[] {
  try {
    const { name } = JSON.parse(line) as { readonly name?: unknown };
    return typeof name === 'string' ? [name] : [];
  } catch {
    // The last line of a process that was killed, or no line at all.
    return [];
  }
}

/** Written before anything goes: of a thing that is still there nobody asks. `at` is ISO 8601. */
export function notePruned(commonDir: string, names: readonly string[], at: string): void {
  if (names.length === 0) return;
  const path = recordPath(commonDir);
  mkdirSync(toPath(path.slice(0, path.lastIndexOf('/'))), { recursive: true, mode: 0o700 });
  const lines = names.map((name) => `${JSON.stringify({ at, name })}\n`);
  // A line that a kill cut off ends here.
  appendFileSync(toPath(path), `\n${lines.join('')}`, { mode: 0o600 });
}
