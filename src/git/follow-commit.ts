import type { Repository } from './located-repository.ts';
import { copyUserIndex, giveToUser } from './user-index.ts';

/** After a crash: the user's index becomes the commit's, and keeps what it knows of files that are the same. */
export async function followCommit(repository: Repository, commit: string): Promise<void> {
  const { index, flags } = await copyUserIndex(repository, 'index');
  await repository.git.run(['read-tree', '-i', '-m', commit], { index });
  await giveToUser(repository, index, flags);
}
