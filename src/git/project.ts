import { Refusal } from '../ports.ts';
import type { Repository } from './located-repository.ts';
import { statOf } from './raw-files.ts';

/**
 * Throws Refusal(3) for a shallow clone (gitrepository-layout(5), `shallow`): its history has no beginning, and what is cut from
 * it cannot be judged or pushed everywhere.
 */
export function refuseShallow({ commonDir }: Pick<Repository, 'commonDir'>): void {
  if (statOf(`${commonDir}/shallow`) === undefined) return;
  throw new Refusal(3, 'this clone is shallow: its history is cut off', 'git fetch --unshallow');
}

/**
 * What tells a repository apart from all others that share a ledger, the same in each clone: the first commit of HEAD's line of
 * first parents. Throws Refusal(3) for a shallow clone, and where there is no commit yet.
 */
export async function projectOf(repository: Repository): Promise<string> {
  refuseShallow(repository);
  if (repository.facts.head === undefined)
    throw new Refusal(3, 'there is no commit here yet', 'git add -A && git commit');
  const args = ['rev-list', '--first-parent', '--max-parents=0', 'HEAD', '--'];
  return (await repository.git.run(args)).toString().trim();
}
