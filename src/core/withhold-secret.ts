import type { Failure } from './failure.ts';
import { shellWord } from './shell-word.ts';

interface Ends {
  readonly from: string;
  readonly to: string;
}

/**
 * A patch of git's without what it says of the files in which a secret was found; in its place stands the command that shows it.
 * Whoever makes a report later may not have that secret in the environment, by which it would be masked. Where a file is not
 * found in the patch, as its name is written otherwise there, all of the patch is left out.
 */
export function withholdSecret(patch: string, { kind, paths = [] }: Failure, ends: Ends): string {
  if (kind !== 'secret' || paths.length === 0) return patch;
  const files = patch.split(/(?<=\n)(?=diff --git )/);
  const heldBy = (file: string): string | undefined => paths.find((path) => isOf(file, path));
  if (!paths.every((path) => files.some((file) => isOf(file, path))))
    return `withheld: it holds a secret; ${command(ends)}\n`;
  return files
    .map((file) => {
      const path = heldBy(file);
      const [first = ''] = file.split('\n');
      const told = (of: string): string => `withheld: it holds a secret; ${command(ends, of)}`;
      return path === undefined ? file : `${first}\n${told(path)}\n`;
    })
    .join('');
}

/** By its first line: the others may be the file's own. */
function isOf(file: string, path: string): boolean {
  const [first = ''] = file.split('\n');
  return first === `diff --git a/${path} b/${path}`;
}

function command({ from, to }: Ends, path?: string): string {
  const words = ['git', 'diff', from, to, '--', ...(path === undefined ? [] : [`:/${path}`])];
  return words.map(shellWord).join(' ');
}
