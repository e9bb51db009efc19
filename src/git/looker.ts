import type { Workspace } from '../ports.ts';
import { patchBetween, resolveCommit } from './reads.ts';
import type { Repository } from './located-repository.ts';
import { readFileOnDisk } from './work-file.ts';

/** The part of a workspace that reads files and commits, for commands that do nothing else: it is open in no time. */
export function openLooker(
  repository: Repository,
): Pick<Workspace, 'readWorkFile' | 'resolve' | 'diff'> {
  return {
    readWorkFile: (path) => readFileOnDisk(repository, path),
    resolve: (revision) => resolveCommit(repository, revision),
    diff: (from, to) => patchBetween(repository, from, to),
  };
}
