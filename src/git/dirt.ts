import type { DirtyPath } from '../ports.ts';
import { toText } from './byte-name.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { isIgnored, readStatus } from './status.ts';
import { copyUserIndex } from './user-index.ts';

/** Everything that `git status` would show, and files that flags of the index hide from it. The user's index stays as it is. */
export async function readDirt(repository: Repository): Promise<readonly DirtyPath[]> {
  makeStateFolder(repository);
  const { index } = await copyUserIndex(repository, 'other');
  const lines = await readStatus(repository.git, index);
  return lines
    .filter((line) => !isIgnored(line))
    .map(({ code, path, isFolder }) => ({
      code: code.replaceAll('.', ' '),
      path: isFolder ? `${toText(path)}/` : toText(path),
    }));
}
