import { isAtOrUnder } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Repository } from './located-repository.ts';
import type { Quarantine } from './quarantine.ts';
import { statOf } from './raw-files.ts';
import { isIgnored, isUntracked, readStatus } from './status.ts';
import type { StatusLine } from './status.ts';
import { copyUserIndex } from './user-index.ts';

/**
 * Takes away what only an ignore rule that is set aside now had kept out of sight: for the run it would be untracked work. It is
 * renamed and goes into no commit, because it may hold what nobody wants in one.
 */
export async function setUnignoredAside(
  repository: Repository,
  before: readonly StatusLine[],
  quarantine: Quarantine,
): Promise<void> {
  const { index } = await copyUserIndex(repository, 'other');
  const now = (await readStatus(repository.git, index)).filter(isUntracked);
  const ignored = before.filter(isIgnored);
  const names = new Set(ignored.map(({ path }) => path));
  const folders = ignored.filter(({ isFolder }) => isFolder).map(({ path }) => path);
  const seen = now.flatMap(({ path }): readonly ByteName[] => {
    const folder = folders.find((above) => isAtOrUnder(path, above));
    if (folder !== undefined) return [folder];
    return names.has(path) ? [path] : [];
  });
  for (const path of new Set(seen))
    if (statOf(`${repository.top}/${path}`) !== undefined)
      quarantine.take(`${repository.top}/${path}`, 'tree', path);
}
