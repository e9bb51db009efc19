import type { ByteName } from './byte-name.ts';
import { ignoredAtBegin } from './ignore-rules.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readRegular } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import type { Survey } from './survey.ts';
import { trackedPaths } from './tracked-paths.ts';

/**
 * Tracked paths that the agent untracked (`git rm --cached`) and made ignored: they leave the tree, the files stay (contract,
 * "Gates"). Only a changed `.gitignore` can make such.
 */
export async function untrackedPaths(
  attempt: OpenAttempt,
  { haveRulesChanged, index }: Survey,
): Promise<readonly ByteName[]> {
  if (!haveRulesChanged) return [];
  const { repository } = attempt;
  const args = ['ls-files', '--cached', '--ignored', '--exclude-standard', '-z'];
  const out = await repository.git.run(args, { index });
  const ignored = out
    .toString('latin1')
    .split('\0')
    .filter((path) => path !== '');
  if (ignored.length === 0) return [];
  const then = await ignoredAtBegin(attempt, ignored);
  const kept = trackedByUser(repository);
  if (kept === undefined) return [];
  return ignored.filter((path) => !then.has(path) && !kept.has(path));
}

/** What the user's index tracks; undefined where the agent left none, or garbage, which tells nothing. */
function trackedByUser(repository: Repository): ReadonlySet<ByteName> | undefined {
  const bytes = readRegular(`${repository.gitDir}/index`);
  try {
    return bytes && trackedPaths(bytes, repository);
  } catch {
    return undefined;
  }
}

export async function dropUntracked(
  { git }: Repository,
  index: string,
  paths: readonly ByteName[],
): Promise<void> {
  if (paths.length === 0) return;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  await git.run(['update-index', '--force-remove', '-z', '--stdin'], { index, input });
}
