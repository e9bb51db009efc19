import { isSlotBranch } from '../core/refs.ts';
import type { AttemptId } from '../ports.ts';
import { toByteName } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Repository } from './located-repository.ts';
import { otherWorktrees } from './read-refs.ts';

/** PLAN of a ref of ours below the folders that hold one for each plan. */
export function planOfOwn(ref: ByteName): ByteName | undefined {
  return /^refs\/(?:tags\/skeleton|skeleton\/[^/]+)\/([^/]+)\//.exec(ref)?.[1];
}

/**
 * Refs that may rightly move meanwhile, because a person or another run works in another work tree: the branch checked out
 * there, what runs write for plans other than this one, and the branches of slots of any plan, each of which is for its own
 * attempts to guard.
 */
export function isWrittenElsewhere(
  repository: Repository,
  { plan, branch }: Pick<AttemptId, 'plan'> & { readonly branch: ByteName },
): (ref: ByteName) => boolean {
  const heads = new Set(otherWorktrees(repository));
  return (ref) => {
    if (heads.has(`ref: ${ref}`)) return true;
    if (isSlotBranch(ref)) return ref !== branch;
    const other = planOfOwn(ref);
    return heads.size > 0 && other !== undefined && other !== toByteName(plan);
  };
}
