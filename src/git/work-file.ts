import type { WorkFile } from '../ports.ts';
import { foldersAbove, toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { readRegular, statOf } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import { specialKind } from './walk.ts';

/** A file of the work tree, looked at before it is opened. */
export async function readFileOnDisk(repository: Repository, path: string): Promise<WorkFile> {
  const { git, top } = repository;
  const name = toByteName(path);
  if (name.startsWith('/') || name.split('/').includes('..'))
    return { kind: 'other', what: 'a path outside of the work tree' };
  const what = linkAbove(top, name) ?? kindOf(`${top}/${name}`);
  if (what !== 'file') return what === 'missing' ? { kind: 'missing' } : { kind: 'other', what };
  const bytes = readRegular(`${top}/${name}`);
  if (bytes === undefined) return { kind: 'missing' };
  const index = `${repository.facts.gitDir}/index`;
  const args = ['check-ignore', '--quiet', '--', `./${path}`];
  const { code } = await git.ask(args, { index, answers: [1] });
  return { kind: 'file', bytes, ignored: code === 0 };
}

function linkAbove(top: ByteName, name: ByteName): string | undefined {
  const link = foldersAbove(name).find((folder) => statOf(`${top}/${folder}`)?.isSymbolicLink());
  return link === undefined ? undefined : `a path through the symbolic link ${toShown(link)}`;
}

function kindOf(path: ByteName): string {
  const stat = statOf(path);
  if (stat === undefined) return 'missing';
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'a folder';
  if (stat.isSymbolicLink()) return 'a symbolic link';
  return `a ${specialKind(stat) ?? 'special file'}`;
}
