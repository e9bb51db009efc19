import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** What a tool may not do; its message goes to the model, which may try something else. */
export class ToolRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolRefusal';
  }
}

/**
 * The absolute path of what the model names, inside the work tree and outside of `.git`, with every link on the way followed.
 * Throws ToolRefusal. This keeps a model from straying; it is no wall: its shell commands run as the user.
 */
export function workPath(top: string, path: string): string {
  const asked = resolve(top, path);
  const real = realOf(asked);
  const inside = relative(realpathSync(top), real);
  const first = inside.split(sep)[0] ?? '';
  if (first === '..' || isAbsolute(inside))
    throw new ToolRefusal(`${path} is outside of the work tree`);
  if (first.toLowerCase() === '.git') throw new ToolRefusal('.git is not yours to read or change');
  return real;
}

/** The path with its links followed as far as it exists. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    if (isDangling(path)) throw new ToolRefusal(`${path} is a link to nowhere`);
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}

function isDangling(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
