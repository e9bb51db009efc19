import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';

/** Where sh looks a word up before it searches PATH (POSIX, "Shell Command Language", 2.4, 2.14 and XCU 1.6). */
const ofTheShell = new Set(
  (
    '! . : [ alias bg break case cd command continue do done elif else esac eval exec exit export false fc fg fi for ' +
    'getopts hash if in jobs kill printf pwd read readonly return set shift test then times trap true type ulimit ' +
    'umask unalias unset until wait while'
  ).split(' '),
);

/**
 * The program that a command starts, where that is plain to see: its first word. Undefined where the shell decides (a
 * word of its own, an assignment, a quote, a variable, a home folder).
 */
export function programOf(command: string): string | undefined {
  const word = /^\s*(\S+)/.exec(command)?.[1];
  if (word === undefined || !/^[\w./@%+:,-]+$/.test(word) || ofTheShell.has(word)) return undefined;
  return word;
}

/** Whether a program could be started now: a path from `cwd`, or a name by the PATH of `env`. */
export async function isInstalled(
  program: string,
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<boolean> {
  const folders = program.includes('/') ? ['.'] : (where.env['PATH'] ?? '').split(delimiter);
  for (const folder of folders) {
    if (await isExecutable(resolve(where.cwd, folder, program))) return true;
  }
  return false;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
