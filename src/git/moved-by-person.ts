import type { PlanBytes } from '../ports.ts';
import type { ByteName } from './byte-name.ts';
import { contains } from './checkpoint.ts';
import type { Repository } from './located-repository.ts';
import { readRegular } from './raw-files.ts';
import { readFileAt } from './reads.ts';
import { parseReflog } from './reflog.ts';
import { branchLog, isOurs } from './whose-commits.ts';

export interface BranchMove {
  readonly branch: ByteName;
  readonly from: string;
  readonly to: string;
}

/**
 * Whether a branch went on from where we last saw it by a person's commits alone, and the plan is still the one that the run
 * works on: by its reflog, where an agent's commits carry its mark, and what says nothing of itself (`git update-ref`) is nobody's.
 */
export async function movedByPerson(
  repository: Repository,
  { branch, from, to }: BranchMove,
  plan: Pick<PlanBytes, 'path' | 'before'>,
): Promise<boolean> {
  const text = readRegular(branchLog(repository, branch))?.toString('latin1') ?? '';
  const entries = parseReflog(text);
  const since = entries.slice(entries.findLastIndex((entry) => entry.to === from) + 1);
  const isTold = since.length < entries.length && since.at(-1)?.to === to;
  if (!isTold || since.some(({ message }) => message === '' || isOurs(message))) return false;
  if (!(await contains(repository, to, from))) return false;
  const bytes = await readFileAt(repository, to, plan.path);
  return bytes !== undefined && Buffer.compare(bytes, plan.before) === 0;
}
