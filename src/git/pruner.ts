import { join } from 'node:path';
import type { Pruner, WorktreeEntry } from '../ports.ts';
import { toByteName, toText } from './byte-name.ts';
import { usePlainGit } from './git.ts';
import { readOwnFiles, records, removeOwnFiles, removeStateFolder } from './own-files.ts';
import { deleteOwnRefs, readOwnRefs, weighAll, weighEach } from './own-refs.ts';
import { notePruned } from './pruned-record.ts';
import { entriesOf, readRegular, statOf } from './raw-files.ts';
import { readHead } from './refs.ts';
import { stateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';

/** Opens what `gc` and `doctor` need of a repository. */
export function openPruner(repository: Repository): Pruner {
  const { environment, facts } = repository;
  return {
    refs: () => readOwnRefs(repository),
    files: () => readOwnFiles(repository),
    weigh: (refs, limit) => weighEach(repository, refs, limit),
    weighTogether: (refs, limit) => weighAll(repository, refs, limit),
    worktrees: () => listEntries(repository),
    note: (things, at) => {
      notePruned(
        facts.commonDir,
        things.map(({ name }) => name),
        at,
      );
    },
    deleteRefs: (refs) => deleteOwnRefs(repository, refs),
    removeFiles: (things) => removeOwnFiles(repository, things),
    removeState: () => removeStateFolder(repository),
    isClean: ({ folder }) => isClean(folder, environment),
    removeWorktree: async ({ folder }) => {
      // Without `--force` git looks once more whether it is clean.
      const args = ['worktree', 'remove', folder];
      await usePlainGit({ folder: facts.top, environment }, (git) => git.raw(args));
    },
  };
}

async function isClean(folder: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const args = ['status', '--porcelain', '--ignored', '--untracked-files=all'];
  return (await usePlainGit({ folder, environment }, (git) => git.raw(args))) === '';
}

/** Read from git's own files: gitrepository-layout(5), "worktrees/<id>/gitdir". */
function listEntries({ commonDir, facts }: Repository): readonly WorktreeEntry[] {
  const linked = (entriesOf(`${commonDir}/worktrees`) ?? [])
    .map(({ name }) => `${commonDir}/worktrees/${name}`)
    .filter((gitDir) => statOf(`${gitDir}/gitdir`) !== undefined);
  return [commonDir, ...linked].map((gitDir) => {
    const isMain = gitDir === commonDir;
    const { id, state } = stateFolder({ gitDir, commonDir });
    const link = toText((readRegular(`${gitDir}/gitdir`)?.toString('latin1') ?? '').trimEnd());
    const folder = isMain ? mainFolder(facts) : link.replace(/\/\.git$/, '');
    const isThere = isMain || statOf(toByteName(link)) !== undefined;
    const isLocked = statOf(`${gitDir}/locked`) !== undefined;
    const head = readHead(gitDir);
    const branch = head.startsWith('ref: ') ? toText(head.slice(5)) : undefined;
    const found = records.filter((name) => statOf(`${state}/${name}`) !== undefined);
    return { id, folder, branch, isMain, isGone: !isThere && !isLocked, records: found };
  });
}

function mainFolder({ commonDir, gitDir, top }: Repository['facts']): string {
  return gitDir === commonDir ? top : join(commonDir, '..');
}
