import type { DirtyPath } from '../ports.ts';
import { toText } from './byte-name.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { isIgnored, readStatus } from './status.ts';
import { copyUserIndex } from './user-index.ts';

/** Everything that `git status` would show, and files that flags of the index hide from it. The user's index stays as it is. */
export async function readDirt(repository: Repository): Promise<readonly DirtyPath[]> {
  makeStateFolder(repository);
  const { index, flags } = await copyUserIndex(repository, 'other');
  const skip = new Set(flags.skip);
  const assume = new Set(flags.assume);
  const lines = await readStatus(repository.git, index);
  return lines
    .filter((line) => !isIgnored(line))
    .map(({ code, path, isFolder }) => ({
      code: code.replaceAll('.', ' '),
      path: isFolder ? `${toText(path)}/` : toText(path),
      ...(assume.has(path) && { flag: 'assume-unchanged' as const }),
      ...(skip.has(path) && { flag: 'skip-worktree' as const }),
    }));
}
