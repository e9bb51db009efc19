import { accessSync, constants, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSlotBranch, shortRef, slotBranch, slotName, slotNumber } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import type { SlotFolder } from '../ports.ts';
import { anchorRef } from './anchors.ts';
import { besideOf } from './beside.ts';
import { toByteName, toPath, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { contains } from './checkpoint.ts';
import { GitError } from './git.ts';
import { readSmall, stateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { entriesOf, statOf } from './raw-files.ts';
import { otherWorktrees, readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';

/** `merge-tree --write-tree` (git-merge-tree(1)). */
const oldestForSlots = [2, 38] as const;

/** Throws Refusal(3), with nothing touched, where work on several tasks at once is not possible here. */
export async function refuseNoSlots(
  repository: Repository,
  plan: string,
  count: number,
): Promise<void> {
  await refuseOldGit(repository);
  const { top } = repository.facts;
  refuseClosed(dirname(top));
  const ours = new Set(slotsOf(repository, plan).map(({ folder }) => folder));
  for (let nth = 1; nth <= count; nth += 1) {
    const folder = besideOf(top, slotName(plan, nth));
    if (ours.has(folder) || statOf(toByteName(folder)) === undefined) continue;
    const words = `${folder} is in the way of a worktree for --jobs`;
    throw new Refusal(3, words, 'mv it aside, or run with --jobs 1');
  }
}

async function refuseOldGit({ git }: Repository): Promise<void> {
  const { major, minor } = await git.plain((plain) => plain.version());
  const [oldMajor, oldMinor] = oldestForSlots;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return;
  const words = `git ${major}.${minor} is too old for --jobs: ${oldMajor}.${oldMinor} is needed`;
  throw new Refusal(3, words, 'run with --jobs 1, or install a newer git');
}

function refuseClosed(folder: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    const words = `no worktree for --jobs can be made beside the repository: ${folder} cannot be written`;
    throw new Refusal(3, words, `ls -ld '${folder}'; or run with --jobs 1`);
  }
}

/** Folders of a plan's slots, by their names: an agent may have switched their branches. */
export function slotsOf(repository: Repository, plan: string): readonly SlotFolder[] {
  return entriesIn(repository).flatMap((entry) => {
    const { folder } = entry;
    const nth = slotNumber(folder, plan);
    const isSlot = nth !== undefined && isOurs(repository, entry);
    if (!isSlot) return [];
    const { id } = stateFolder({ gitDir: entry.own, commonDir: repository.commonDir });
    return [{ folder, branch: slotBranch(plan, nth), id }];
  });
}

/** A person may have made a worktree of that name: files were laid out there, and we know nothing of it. */
function isOurs({ commonDir }: Repository, { own }: Entry): boolean {
  const { state } = stateFolder({ gitDir: own, commonDir });
  return statOf(state) !== undefined || statOf(`${own}/index`) === undefined;
}

interface Entry {
  /** Of git, about the worktree. */
  readonly own: ByteName;
  readonly folder: string;
}

/** gitrepository-layout(5), "worktrees". */
function entriesIn({ commonDir }: Repository): readonly Entry[] {
  const registry = `${commonDir}/worktrees`;
  return (entriesOf(registry) ?? []).map(({ name }) => {
    const link = readSmall(`${registry}/${name}/gitdir`)?.trimEnd() ?? '';
    return { own: `${registry}/${name}`, folder: dirname(toText(toByteName(link))) };
  });
}

/**
 * `--force` twice also takes one that is locked (git-worktree(1)). Of one that was never whole, what git knows goes, and a folder
 * that holds nothing. Gives in words what could not be removed.
 */
export async function removeSlot(
  repository: Repository,
  slot: SlotFolder,
): Promise<string | undefined> {
  const { folder, branch, id } = slot;
  try {
    if (statOf(toByteName(`${folder}/.git`)) === undefined) forget(repository, folder);
    else await repository.git.run(['worktree', 'remove', '--force', '--force', folder]);
    const { refs } = await readRefs(repository);
    const gone = [toByteName(branch), anchorRef({ id })].flatMap((ref) => {
      const from = refs.get(ref);
      return from === undefined ? [] : [{ kind: 'delete', ref, from } as const];
    });
    await changeRefs(repository.git, gone, 'slot');
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const why = error.stderr.trim().split('\n').at(-1) ?? '';
    return `the worktree ${folder} on ${shortRef(branch)} could not be removed: ${why}`;
  }
}

/** Branches of a plan's slots that are gone, unless they hold a commit that HEAD does not: then a person may have made it. */
export async function dropSlotBranches(repository: Repository, plan: string): Promise<void> {
  const standing = new Set(slotsOf(repository, plan).map(({ branch }) => toByteName(branch)));
  const { refs } = await readRefs(repository);
  const heads = new Set(otherWorktrees(repository));
  for (const [ref, from] of refs) {
    if (!isSlotBranch(toText(ref), plan) || standing.has(ref) || heads.has(`ref: ${ref}`)) continue;
    if (!(await contains(repository, 'HEAD', from))) continue;
    await changeRefs(repository.git, [{ kind: 'delete', ref, from }], 'slot');
  }
}

function forget(repository: Repository, folder: string): void {
  const own = entriesIn(repository).filter((entry) => entry.folder === folder);
  for (const entry of own) rmSync(toPath(entry.own), { recursive: true, force: true });
  try {
    rmdirSync(folder);
  } catch {
    // It is not there, or holds what is not ours: that is in the way, and said where a slot is made.
  }
}
