import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../ports.ts';
import type { RepositoryFacts } from '../ports.ts';
import { errorCode } from './raw-files.ts';

type Place = Pick<RepositoryFacts, 'top' | 'gitDir'>;

export interface NewFile {
  /** Relative to the top, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
}

/** What keeps a path of the work tree from being written anew, in words; undefined where nothing does. No link is followed. */
export function inTheWayOf(top: string, path: string): string | undefined {
  const parts = path.split('/');
  for (const depth of parts.keys()) {
    const at = parts.slice(0, depth + 1).join('/');
    const stat = lstatSync(join(top, at), { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (at === path) return stat.isFile() ? 'there already' : `${at} is no regular file`;
    if (stat.isSymbolicLink()) return `${at} is a symbolic link, which is not followed`;
    if (!stat.isDirectory()) return `${at} is no folder`;
  }
  return undefined;
}

/**
 * Writes a file where nothing is: it appears whole or not at all, whenever we are killed, and what another has put there
 * meanwhile stays. False where something is in the way. Throws Refusal(3) where the disk does not take it.
 */
export function writeNew({ top, gitDir }: Place, file: NewFile): boolean {
  if (inTheWayOf(top, file.path) !== undefined) return false;
  try {
    makeFolders(top, file.path);
    return writeWhole(join(top, file.path), join(gitDir, `skeleton-new-${randomUUID()}`), file);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !expected.has(code)) throw error;
    throw new Refusal(
      3,
      `${file.path} cannot be written: ${code}`,
      'mend that and start again: what was written before it is whole and stays',
    );
  }
}

const expected = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'ELOOP']);

function makeFolders(top: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (const depth of parts.keys()) {
    try {
      mkdirSync(join(top, ...parts.slice(0, depth + 1)));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** A name of its own first, in the git directory, where a crash leaves nothing that anybody would commit; link(2) replaces nothing. */
function writeWhole(target: string, draft: string, file: NewFile): boolean {
  try {
    fill(draft, file);
    return placed(draft, target, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function placed(draft: string, target: string, file: NewFile): boolean {
  try {
    linkSync(draft, target);
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    // The git directory on another disk, or one without hard links: whole only if nobody kills us.
    fill(target, file);
  }
  return true;
}

function fill(path: string, { text, executable }: NewFile): void {
  const file = openSync(path, 'wx', executable ? 0o777 : 0o666);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Folders that hold what others made, or what is broken on purpose. */
const foreign = new Set([
  'node_modules',
  'vendor',
  'target',
  'dist',
  'build',
  'out',
  'venv',
  'testdata',
  'fixtures',
]);

/** Paths of the regular files at the top and in its folders, so many levels deep. Hidden folders and links are not entered. */
export function filesNear(top: string, levels: number, under = ''): readonly string[] {
  return entriesIn(join(top, under)).flatMap((entry) => {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isFile()) return [path];
    const isOpen = entry.isDirectory() && !entry.name.startsWith('.') && !foreign.has(entry.name);
    return isOpen && levels > 0 ? filesNear(top, levels - 1, path) : [];
  });
}

/** A folder that may not be read has nothing to say. */
function entriesIn(folder: string): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
