import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { applyEntries } from './entries.ts';
import type { Entry } from './entries.ts';
import type { Repository } from './located-repository.ts';
import { copyUserIndex, giveToUser } from './user-index.ts';

/**
 * In the user's index these paths become what is given, everything else and its flags stay. `announced`: files that are to be
 * listed without content, as by `git add --intent-to-add`.
 */
export async function followIndex(
  repository: Repository,
  entries: ReadonlyMap<ByteName, Entry>,
  announced: readonly ByteName[] = [],
): Promise<void> {
  const { git } = repository;
  const { index, flags } = await copyUserIndex(repository, 'other');
  await applyEntries(repository, index, entries);
  if (announced.length > 0) {
    const input = toPath(announced.map((path) => `${path}\0`).join(''));
    const from = ['--pathspec-from-file=-', '--pathspec-file-nul'];
    const args = ['--literal-pathspecs', 'add', '--force', '--intent-to-add', ...from];
    await git.run(args, { index, input });
  }
  // 1: a file differs from the index, which is how the user left it.
  await git.ask(['update-index', '-q', '--refresh'], { index, answers: [1] });
  await giveToUser(repository, index, flags);
}
