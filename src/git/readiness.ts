import { accessSync, constants } from 'node:fs';
import type { ConfigListSummary } from 'simple-git';
import { Refusal } from '../ports.ts';
import { toPath } from './byte-name.ts';
import { GitError } from './git.ts';
import { readRegular, statOf } from './raw-files.ts';
import { readHead, resolveRef } from './refs.ts';
import type { Repository } from './located-repository.ts';

type ConfigValues = ConfigListSummary['all'];

/** `status --porcelain=v2 -z`, `check-ignore`, `update-ref --stdin` and `add --pathspec-from-file` as we use them. */
const oldestGit = [2, 30] as const;

/** Throws Refusal(3), with the command that mends it, for what forbids a run in this repository (contract, "Git"). */
export async function refuseUnready(repository: Repository): Promise<void> {
  refuseNoBranch(repository);
  refuseOperation(repository);
  refuseClosedStore(repository);
  await refuseOldGit(repository);
  const { all } = await repository.git.plain((plain) => plain.listConfig());
  refuseSparse(all);
  await refuseMissingLfs(repository, all);
}

function refuseNoBranch({ gitDir, commonDir }: Repository): void {
  const head = readHead(gitDir);
  if (!head.startsWith('ref: '))
    throw new Refusal(3, 'HEAD is detached: no branch to put checkpoints on', 'git switch BRANCH');
  if (resolveRef({ gitDir, commonDir }, head.slice(5)) !== '') return;
  throw new Refusal(3, 'there is no commit yet', 'git commit --allow-empty -m "first commit"');
}

/** File in the git directory, what it means, how it ends. */
const operations = [
  ['rebase-merge', 'rebase', 'git rebase --continue, or git rebase --abort'],
  ['rebase-apply', 'rebase or am', 'git rebase --continue, or git am --abort'],
  ['MERGE_HEAD', 'merge', 'git merge --continue, or git merge --abort'],
  ['CHERRY_PICK_HEAD', 'cherry-pick', 'git cherry-pick --continue, or git cherry-pick --abort'],
  ['REVERT_HEAD', 'revert', 'git revert --continue, or git revert --abort'],
  ['BISECT_LOG', 'bisect', 'git bisect reset'],
] as const;

/** Throws Refusal(3) where a merge, rebase, cherry-pick, revert or bisect is unfinished. */
export function refuseOperation({ gitDir }: Repository): void {
  const found = operations.find(([file]) => statOf(`${gitDir}/${file}`) !== undefined);
  if (found !== undefined) throw new Refusal(3, `an unfinished ${found[1]} is under way`, found[2]);
}

function refuseClosedStore({ commonDir }: Repository): void {
  for (const name of ['objects', 'refs']) {
    try {
      accessSync(toPath(`${commonDir}/${name}`), constants.R_OK | constants.W_OK | constants.X_OK);
    } catch {
      const path = toPath(`${commonDir}/${name}`).toString();
      throw new Refusal(3, `${path} cannot be written`, `ls -ld '${path}'`);
    }
  }
}

async function refuseOldGit({ git }: Repository): Promise<void> {
  const { major, minor } = await git.plain((plain) => plain.version());
  const [oldMajor, oldMinor] = oldestGit;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return;
  const words = `git ${major}.${minor} is too old: ${oldMajor}.${oldMinor} is needed`;
  throw new Refusal(3, words, 'git --version');
}

function refuseSparse(config: ConfigValues): void {
  if (config['core.sparsecheckout'] !== 'true') return;
  throw new Refusal(
    3,
    'the checkout is sparse: a rollback could not be exact',
    'git sparse-checkout disable',
  );
}

/** Without git-lfs, git would commit the content of large files instead of their pointers, or nothing at all. */
async function refuseMissingLfs({ git, top }: Repository, config: ConfigValues): Promise<void> {
  const attributes = readRegular(`${top}/.gitattributes`)?.toString('latin1') ?? '';
  if (!/filter=lfs\b/.test(attributes)) return;
  if (config['filter.lfs.clean'] === undefined && config['filter.lfs.process'] === undefined)
    throw new Refusal(3, '.gitattributes wants git-lfs, which is not set up', 'git lfs install');
  try {
    await git.plain((plain) => plain.raw('lfs', 'version'));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(3, '.gitattributes wants git-lfs, which is not installed', 'git lfs version');
  }
}
