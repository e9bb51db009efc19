import type { State } from '../core/machine.ts';
import { shortRef } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import type { Team, Tip } from './team.ts';

/**
 * Of a task that has passed in this team and is not ticked on the branch: where that holds the checkpoint still, a person took it back
 * (`git revert`), and it is to do again. Throws Refusal(4) where the branch does not hold it.
 */
export async function refuseUnseen(
  { tag, commit }: State & { readonly phase: 'passed' },
  tip: Tip,
  { remote, branch, contains }: Pick<Team, 'remote' | 'branch' | 'contains'>,
): Promise<void> {
  if (await contains(tip.commit, commit)) return;
  const name = shortRef(tag);
  throw new Refusal(
    4,
    `the ledger knows the checkpoint ${name}, and ${shortRef(branch)} on ${remote.name} does not hold it: somebody has set that branch back`,
    `git push ${remote.name} ${name}^{}:${branch}     or untick the task there`,
  );
}
