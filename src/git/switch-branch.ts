import { Refusal } from '../ports.ts';
import type { Switched } from '../ports.ts';
import { toByteName, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { contains } from './checkpoint.ts';
import { readDirt } from './dirt.ts';
import { GitError } from './git.ts';
import { move } from './move-branch.ts';
import { refuseOperation } from './readiness.ts';
import { otherWorktrees, readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import type { Repository } from './located-repository.ts';

interface Standing {
  /** As RefReading.head. */
  readonly head: string;
  readonly at: string;
}

/** As Keeper.switchBranch. */
export async function switchBranch(
  repository: Repository,
  plan: string,
  name: string,
): Promise<Switched> {
  await refuseName(repository, name);
  refuseOperation(repository);
  const branch = toByteName(`refs/heads/${name}`);
  const { head, refs } = await readRefs(repository);
  const at = head.startsWith('ref: ') ? (refs.get(head.slice(5)) ?? '') : head;
  // Without a commit there is nothing to switch from: the run says so.
  if (head === `ref: ${branch}` || at === '') return stayed;
  if (otherWorktrees(repository).includes(`ref: ${branch}`))
    throw new Refusal(3, `${name} is checked out in another work tree`, 'git worktree list');
  const before: Standing = { head, at };
  const stands = refs.get(branch);
  if (stands === undefined) return makeAndSwitch(repository, branch, before);
  await refuseDirt(repository, name);
  const leaves = !head.startsWith('ref: ') && !(await contains(repository, stands, at));
  const job = { plan, to: stands, kind: 'head', branch, from: at, leaves } as const;
  const { kept, notices } = await move(repository, job);
  const said = kept === undefined ? [] : [`HEAD was at ${at.slice(0, 10)}: that stays at ${kept}`];
  return {
    moved: true,
    notices: [...said, ...notices],
    back: () => goBack(repository, plan, { before, branch }),
  };
}

const stayed: Switched = { moved: false, notices: [], back: () => Promise.resolve() };

async function refuseName({ git }: Repository, name: string): Promise<void> {
  const { code, stdout } = await git.ask(['check-ref-format', '--branch', name], {
    answers: [1, 128],
  });
  if (code === 0 && stdout.toString().trim() === name) return;
  throw new Refusal(
    2,
    `'${toShown(toByteName(name))}' is no name for a branch`,
    'git branch --list',
  );
}

async function refuseDirt(repository: Repository, name: string): Promise<void> {
  const dirt = await readDirt(repository);
  if (dirt.length === 0) return;
  const listed = dirt.slice(0, 10).map(({ code, path }) => `\n  ${code} ${path}`);
  throw new Refusal(
    3,
    `cannot switch to ${name}: the work tree has changes that are not committed, and nothing was touched:${listed.join('')}`,
    'git add -A && git commit -m "before skeleton"\ngit stash --include-untracked',
  );
}

/** A new branch at HEAD changes no file, so the tree may hold a plan that is not committed yet. */
async function makeAndSwitch(
  repository: Repository,
  branch: ByteName,
  before: Standing,
): Promise<Switched> {
  const name = toText(branch);
  try {
    const change = { kind: 'create', ref: branch, to: before.at, from: '' } as const;
    await changeRefs(repository.git, [change], 'made for a run');
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(3, `cannot make ${name}: ${error.stderr.trim()}`, 'git branch --list');
  }
  await pointHead(repository, `ref: ${branch}`);
  return {
    moved: true,
    notices: [],
    back: async () => {
      const { head, refs } = await readRefs(repository);
      if (head !== `ref: ${branch}` || refs.get(branch) !== before.at) return;
      await pointHead(repository, before.head);
      const change = { kind: 'delete', ref: branch, from: before.at } as const;
      await changeRefs(repository.git, [change], 'not used');
    },
  };
}

/** Changes no file: for a HEAD that stays at its commit. */
async function pointHead({ git }: Repository, head: string): Promise<void> {
  const words = ['-m', 'skeleton: switch'];
  if (head.startsWith('ref: '))
    await git.run(['symbolic-ref', ...words, 'HEAD', toText(head.slice(5))]);
  else await git.run(['update-ref', ...words, '--no-deref', 'HEAD', head]);
}

async function goBack(
  repository: Repository,
  plan: string,
  { before, branch }: { readonly before: Standing; readonly branch: ByteName },
): Promise<void> {
  const { head, refs } = await readRefs(repository);
  const at = refs.get(branch);
  if (head !== `ref: ${branch}` || at === undefined) return;
  const to = before.at;
  // A detached HEAD has no branch to go to: the files go back on this one's name, then HEAD lets go of it.
  const goal = before.head.startsWith('ref: ') ? before.head.slice(5) : branch;
  await move(repository, { plan, to, kind: 'head', branch: goal, from: at, leaves: false });
  if (goal === branch) await pointHead(repository, before.head);
}
