import { Refusal } from '../ports.ts';
import { toByteName, toShown } from './byte-name.ts';
import { GitError } from './git.ts';
import { resolveRef } from './refs.ts';
import { explainByLock } from './stale-locks.ts';
import type { Repository } from './located-repository.ts';

type Explaining = <A extends readonly unknown[], T>(
  call: (...args: A) => Promise<T>,
) => (...args: A) => Promise<T>;

/**
 * What git stumbles over may be that objects of the repository are gone (`rm -rf .git/objects/*`), or a lock of another git that
 * does not go away: then a call throws Refusal(4) that says so, instead of git's error.
 */
export function explainingLoss(repository: Repository): Explaining {
  return (call) =>
    async (...args) => {
      try {
        return await call(...args);
      } catch (error) {
        throw await explainLoss(repository, error);
      }
    };
}

/** The error itself where everything that HEAD needs is there. */
async function explainLoss(repository: Repository, error: unknown): Promise<unknown> {
  if (!(error instanceof GitError)) return error;
  const missing = await missingFromHead(repository);
  if (missing === undefined) return (await explainByLock(repository)) ?? error;
  return new Refusal(
    4,
    `objects of the repository are gone, and only a clone elsewhere has them: ${missing}`,
    'copy .git/objects from a clone or a backup; git fsck; then run again',
  );
}

/** Git's own words; undefined where nothing is missing. */
async function missingFromHead(repository: Repository): Promise<string | undefined> {
  const { facts, git } = repository;
  const tip =
    facts.branch === undefined ? facts.head : resolveRef(repository, toByteName(facts.branch));
  if (tip === undefined || tip === '') return undefined;
  try {
    await git.run(['rev-list', '--objects', '--quiet', '--max-count=1', tip]);
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const [words = ''] = error.stderr.trim().split('\n');
    return toShown(words);
  }
}
