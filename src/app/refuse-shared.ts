import type { House } from '../compose.ts';
import type { Config } from '../core/config.ts';
import { isolateBranch, planSlug, shortRef } from '../core/refs.ts';
import { Refusal } from '../ports.ts';

/** `take` moves the branch that this repository has; where machines share it, only what is pushed counts. Throws Refusal(2). */
export function refuseSharedTake({ shared }: Pick<House, 'shared'>, planPath: string): void {
  if (shared === undefined) return;
  const branch = shortRef(isolateBranch(planSlug(planPath)));
  throw new Refusal(
    2,
    `take works where the ledger is this repository's own, and this one is shared (${shared.shown}): commit the repair, with the task's box ticked in ${planPath}, and push it to the plan's branch`,
    `${onBranch(branch)}\ngit commit -a && git push origin HEAD:${branch} && git switch -     the workers go on from there`,
  );
}

/** Without the branch itself: a worker of this clone has it checked out beside. */
function onBranch(branch: string): string {
  return `git fetch origin ${branch} && git switch --detach FETCH_HEAD`;
}

/** As refuseSharedTake: nobody takes back what others have fetched. */
export function refuseSharedUndo({ shared }: Pick<House, 'shared'>, planPath: string): void {
  if (shared === undefined) return;
  const branch = shortRef(isolateBranch(planSlug(planPath)));
  throw new Refusal(
    2,
    `undo works where the ledger is this repository's own, and this one is shared (${shared.shown}): revert the checkpoint's commit, which takes its tick back too, and push that to the plan's branch`,
    `${onBranch(branch)}\ngit revert CHECKPOINT && git push origin HEAD:${branch} && git switch -`,
  );
}

/** As refuseSharedTake: the mark counts where all machines read it. */
export function refuseSharedSkip({ shared }: Pick<House, 'shared'>, planPath: string): void {
  if (shared === undefined) return;
  const branch = shortRef(isolateBranch(planSlug(planPath)));
  throw new Refusal(
    2,
    `skip works where the ledger is this repository's own, and this one is shared (${shared.shown}): mark the task's box [-] in ${planPath}, and push that to the plan's branch`,
    `git commit -a && git push origin HEAD:${branch}     the workers go on from there`,
  );
}

/**
 * The remote by which a run meets other machines; undefined where it works on this repository alone. History and code travel together:
 * throws Refusal(2) where only one of them is shared.
 */
export function meetingPlace(
  { shared }: Pick<House, 'shared'>,
  { remote }: Pick<Config, 'remote'>,
  isSaidLocal: boolean,
): string | undefined {
  if (shared === undefined && (remote === undefined || isSaidLocal)) return undefined;
  if (shared === undefined)
    throw new Refusal(
      2,
      `the remote ${remote ?? ''} is for machines that share a ledger, and this one is the repository's own`,
      'skeleton run --ledger postgres://USER@HOST/DATABASE --remote NAME, or without both',
    );
  if (remote !== undefined) return remote;
  throw new Refusal(
    2,
    `the ledger ${shared.shown} is shared, so the code has to be too: name the remote by which it travels`,
    'skeleton run --remote origin, or remote: origin in your config.yml',
  );
}
