import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';

/** What sh does itself: where it looks a word up before it searches PATH (POSIX, "Shell Command Language", 2.4, 2.14, XCU 1.6), and what dash and bash have besides. */
const ofTheShell = new Set(
  (
    '! . : [ [[ alias bg bind break builtin caller case cd chdir command compgen complete compopt continue declare ' +
    'dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash ' +
    'help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return ' +
    'select set shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset ' +
    'until wait while'
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

interface Where {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether a program could be started now: a path from `cwd`, or a name by the PATH of `env`. */
export async function isInstalled(program: string, where: Where): Promise<boolean> {
  return (await findProgram(program, where)) !== undefined;
}

/** The absolute path of what would be started; undefined where there is nothing. */
export async function findProgram(program: string, where: Where): Promise<string | undefined> {
  const folders = program.includes('/') ? ['.'] : (where.env['PATH'] ?? '').split(delimiter);
  for (const folder of folders) {
    const path = resolve(where.cwd, folder, program);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
