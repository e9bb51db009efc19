import { parseTag, planOfUndoRef } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import type { Keeper, Mark } from '../ports.ts';
import { readAside } from './aside-record.ts';
import type { AsideRecord } from './aside-record.ts';
import { folderOfWorktree, openBeside } from './beside.ts';
import { toByteName, toText } from './byte-name.ts';
import { contains } from './checkpoint.ts';
import { readIdentity } from './identity.ts';
import { holdGc } from './hold-gc.ts';
import { layOut } from './lay-out.ts';
import { makeBranch } from './make-branch.ts';
import { finishMove, move } from './move-branch.ts';
import { clearOwnLocks } from './own-locks.ts';
import { putBack } from './put-back.ts';
import { readRefs } from './read-refs.ts';
import { resolveCommit } from './reads.ts';
import { openRepository } from './repository.ts';
import type { Repository } from './located-repository.ts';
import { dropSlotBranches, refuseNoSlots, removeSlot, slotsOf } from './slots.ts';
import { setAside } from './set-aside.ts';
import { awaitLocks } from './stale-locks.ts';
import { switchBranch } from './switch-branch.ts';
import type { WorkspaceOptions } from './workspace.ts';

/** Opens what a person asks of a work tree outside of an attempt. Throws Refusal(3) where there is none. */
export async function openKeeper(options: WorkspaceOptions): Promise<Keeper> {
  const repository = await openRepository(options.cwd, options.env ?? process.env);
  let aside: AsideRecord | undefined;
  return {
    marks: (plan) => readMarks(repository, plan),
    moveBranch: (plan, to) => moveBranch(repository, plan, to),
    makeBranch: (ref, commit) => makeBranch(repository, ref, commit),
    layOut: (commit) => layOut(repository, commit),
    setAside: async (plan, isLeft) => {
      const identity = await readIdentity(repository);
      aside = await setAside(repository, { plan, isLeft, identity });
      return aside && toText(aside.ref);
    },
    putBack: async () => {
      const back = await putBack(repository, aside);
      aside = undefined;
      return back;
    },
    whereAside: () => {
      const ref = (aside ?? readAside(repository))?.ref;
      return ref && toText(ref);
    },
    clearLocks: async (tell) => {
      for (const message of await clearOwnLocks(repository)) await tell(message);
      await awaitLocks(repository, tell);
    },
    holdGc: (tell) => holdGc(repository, tell),
    finish: () => finishMove(repository),
    switchBranch: (plan, name) => switchBranch(repository, plan, name),
    openBeside: (plan, branch) => openBeside(repository, plan, branch),
    assertSlots: (plan, count) => refuseNoSlots(repository, plan, count),
    slots: (plan) => slotsOf(repository, plan),
    removeSlot: (slot) => removeSlot(repository, slot),
    dropSlotBranches: (plan) => dropSlotBranches(repository, plan),
    folderOf: (worktree) => folderOfWorktree(repository, worktree),
    contains: (commit, other) => contains(repository, commit, other),
  };
}

async function readMarks(repository: Repository, plan: string): Promise<readonly Mark[]> {
  const { refs } = await readRefs(repository);
  const isMark = (ref: string): boolean =>
    parseTag(ref)?.plan === plan || planOfUndoRef(ref) === plan;
  const named = [...refs.keys()].map(toText).filter(isMark);
  const reached = await reachedTags(repository, plan);
  const marks: Mark[] = [];
  for (const ref of named) {
    const commit = await resolveCommit(repository, ref);
    if (commit !== undefined) marks.push({ ref, commit, isReached: reached.has(ref) });
  }
  return marks;
}

async function reachedTags(repository: Repository, plan: string): Promise<ReadonlySet<string>> {
  if ((await resolveCommit(repository, 'HEAD')) === undefined) return new Set();
  const folder = `refs/tags/skeleton/${plan}/`;
  const args = ['for-each-ref', '--merged=HEAD', '--format=%(refname)', folder];
  return new Set((await repository.git.run(args)).toString().split('\n'));
}

async function moveBranch(
  repository: Repository,
  plan: string,
  to: string,
): ReturnType<Keeper['moveBranch']> {
  const { head, refs } = await readRefs(repository);
  const branch = head.startsWith('ref: ') ? head.slice(5) : '';
  const from = refs.get(branch) ?? '';
  if (from === '') throw new Refusal(3, 'HEAD is at no branch with a commit', 'git switch BRANCH');
  if (from === to) return { kept: undefined, left: 0, notices: [] };
  const leaves = !(await contains(repository, to, from));
  return move(repository, {
    plan,
    to,
    kind: 'branch',
    branch: toByteName(toText(branch)),
    from,
    leaves,
  });
}
