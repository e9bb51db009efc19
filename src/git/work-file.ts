import { Refusal } from '../ports.ts';
import type { WorkFile } from '../ports.ts';
import { foldersAbove, toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { errorCode, isPlainBelow, readRegular, statOf, writeWhole } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import { specialKind } from './walk.ts';

/** A file of the work tree, looked at before it is opened. Throws Refusal(2) where it may not be read. */
export async function readFileOnDisk(repository: Repository, path: string): Promise<WorkFile> {
  const { git, top } = repository;
  const name = toByteName(path);
  if (name.startsWith('/') || name.split('/').includes('..'))
    return { kind: 'other', what: 'a path outside of the work tree' };
  const found = readOpen(name, () => {
    const what = linkAbove(top, name) ?? kindOf(`${top}/${name}`);
    return { what, bytes: what === 'file' ? readRegular(`${top}/${name}`) : undefined };
  });
  const { what, bytes } = found;
  if (what !== 'file') return what === 'missing' ? { kind: 'missing' } : { kind: 'other', what };
  if (bytes === undefined) return { kind: 'missing' };
  // Git would wait for ever at it, and a command that only looks clears nothing up.
  if (hasSpecialRules(top, name)) return { kind: 'file', bytes, ignored: false };
  const index = `${repository.facts.gitDir}/index`;
  const args = ['check-ignore', '--quiet', '--', `./${path}`];
  const { code } = await git.ask(args, { index, answers: [1] });
  return { kind: 'file', bytes, ignored: code === 0 };
}

/** Whether a regular file holds just these bytes; one that may not be read does not. */
export function holdsOnDisk({ top }: Repository, path: string, bytes: Uint8Array): boolean {
  const name = toByteName(path);
  try {
    const found = isPlainBelow(top, name) ? readRegular(`${top}/${name}`) : undefined;
    return found?.equals(bytes) === true;
  } catch {
    return false;
  }
}

/** Writes over a regular file, whole, with the mode that it has. Throws Refusal(4) where it is none. */
export function writeOnDisk({ top }: Repository, path: string, bytes: Uint8Array): void {
  const name = toByteName(path);
  const stat = isPlainBelow(top, name) ? statOf(`${top}/${name}`) : undefined;
  if (stat?.isFile() !== true)
    throw new Refusal(4, `${toShown(name)} is no regular file any more`, 'git status');
  writeWhole(`${top}/${name}`, bytes, stat.mode & 0o777);
}

function readOpen<T>(name: ByteName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    const shown = toShown(name);
    throw new Refusal(
      2,
      `${shown} may not be read: its mode, or that of a folder above it, forbids it`,
      `chmod u+rX '${shown}'`,
    );
  }
}

function linkAbove(top: ByteName, name: ByteName): string | undefined {
  const link = foldersAbove(name).find((folder) => statOf(`${top}/${folder}`)?.isSymbolicLink());
  return link === undefined ? undefined : `a path through the symbolic link ${toShown(link)}`;
}

function hasSpecialRules(top: ByteName, name: ByteName): boolean {
  return ['', ...foldersAbove(name).map((folder) => `${folder}/`)].some((folder) => {
    const stat = statOf(`${top}/${folder}.gitignore`);
    return stat !== undefined && specialKind(stat) !== undefined;
  });
}

function kindOf(path: ByteName): string {
  const stat = statOf(path);
  if (stat === undefined) return 'missing';
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'a folder';
  if (stat.isSymbolicLink()) return 'a symbolic link';
  return `a ${specialKind(stat) ?? 'special file'}`;
}
