import { isolateBranch, shortRef } from '../core/refs.ts';
import { Refusal, type Ledger } from '../ports.ts';

/** What says on which branch a plan is worked on. */
export interface BranchAsked {
  readonly ledger: Pick<Ledger, 'taskHistory'>;
  readonly slug: string;
  /** Full name. */
  readonly branch: string;
  /** Somebody named it (`--branch`). */
  readonly isNamed: boolean;
  readonly remote: string;
}

/** The branch on which the newest run among machines works, or worked; undefined where there was none. A history that was copied tells of others. */
export async function branchOfTeam({
  ledger,
  slug,
}: Pick<BranchAsked, 'ledger' | 'slug'>): Promise<string | undefined> {
  const runs = (await ledger.taskHistory(slug, '')).flatMap(({ event }) =>
    event.type === 'run.started' && typeof event.options['host'] === 'string' ? [event] : [],
  );
  return runs.at(-1)?.branch;
}

/**
 * One plan is worked on on one branch: on two, each would pass half of it. Another may be named where nobody is at work. Throws Refusal(3).
 */
export async function refuseOtherBranch(asked: BranchAsked, isAlone: boolean): Promise<void> {
  const { slug, branch, isNamed, remote } = asked;
  const before = await branchOfTeam(asked);
  if (before === undefined || before === branch || (isNamed && isAlone)) return;
  const [theirs, ours] = [shortRef(before), shortRef(branch)];
  const option = before === isolateBranch(slug) ? '' : ` --branch ${theirs}`;
  const who = isAlone ? 'the runs of this plan so far' : 'other machines';
  const other = isAlone ? `; or --branch ${ours}, if that is meant` : '';
  throw new Refusal(
    3,
    `${who} worked on the branch ${theirs}, and this run would work on ${ours}`,
    `skeleton run --remote ${remote}${option}${other}`,
  );
}

/** A branch that was deleted is not put back by the way. Throws Refusal(3). `isHere`: this clone has it still. */
export function deletedBranch(
  { branch, remote }: Pick<BranchAsked, 'branch' | 'remote'>,
  isHere: boolean,
): Refusal {
  const name = shortRef(branch);
  const back = `git push ${remote} ${name}     puts back what this clone has of it; `;
  return new Refusal(
    3,
    `${name} is gone from ${remote}, and machines have worked on it there`,
    `${isHere ? back : ''}git push ${remote} HEAD:${branch}     begins it at your HEAD`,
  );
}
