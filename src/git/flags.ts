import type { ByteName } from './byte-name.ts';
import { visitIndex } from './index-file.ts';
import type { IndexEntry } from './index-file.ts';
import type { Repository } from './located-repository.ts';

/** Files that an index says git need not look at (git-update-index(1)). */
export interface Flags {
  readonly skip: readonly ByteName[];
  readonly assume: readonly ByteName[];
}

export function readFlags(bytes: Buffer, { objectFormat }: Repository): Flags {
  const skip: ByteName[] = [];
  const assume: ByteName[] = [];
  const visit = ({ path, skipWorktree, assumeUnchanged }: IndexEntry): void => {
    if (skipWorktree) skip.push(path);
    if (assumeUnchanged) assume.push(path);
  };
  visitIndex(bytes, objectFormat, visit, 'flagged');
  return { skip, assume };
}

/** In an index of ours: with flags, changes of those files would stay unseen. */
export function clearFlags(repository: Repository, index: string, flags: Flags): Promise<void> {
  return setFlags(repository, {
    index,
    flags,
    skip: '--no-skip-worktree',
    assume: '--no-assume-unchanged',
  });
}

export function putFlags(repository: Repository, index: string, flags: Flags): Promise<void> {
  return setFlags(repository, {
    index,
    flags,
    skip: '--skip-worktree',
    assume: '--assume-unchanged',
  });
}

interface Setting {
  readonly index: string;
  readonly flags: Flags;
  readonly skip: string;
  readonly assume: string;
}

async function setFlags(
  { git }: Repository,
  { index, flags, skip, assume }: Setting,
): Promise<void> {
  const pairs = [
    [skip, flags.skip],
    [assume, flags.assume],
  ] as const;
  for (const [option, paths] of pairs) {
    if (paths.length === 0) continue;
    const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
    await git.run(['update-index', option, '-z', '--stdin'], { index, input });
  }
}
