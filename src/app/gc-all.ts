import type { House } from '../compose.ts';
import type { OwnThing } from '../core/own-things.ts';
import { isolateBranch } from '../core/refs.ts';
import { Refusal, type Pruner, type WorktreeEntry } from '../ports.ts';
import type { GcOptions, GcResult } from './gc-options.ts';
import { underWay } from './gc-facts.ts';
import { lockAll, readThings, refsAmong, shown, weighed } from './gc-things.ts';

/**
 * Everything of ours, as for uninstalling: refs, the state folder with the ledger, worktrees of isolated runs that hold nothing
 * of their own. Tags and branches stay: people may refer to them. Throws Refusal(3), with nothing touched, where work of the
 * user's is set aside, an attempt is under way, or any run goes in this repository.
 */
export async function removeAll(
  house: House,
  pruner: Pruner,
  { dryRun, confirm }: Pick<GcOptions, 'dryRun' | 'confirm'>,
): Promise<GcResult> {
  const stays = { notices: [], failures: [], declined: false };
  const found = await findAll(house, pruner);
  if (dryRun || found.things.length === 0) return { ...stays, ...found };
  await refuseLoss(house, pruner, found.things);
  if (!(await confirm(found.things))) return { ...stays, things: [], declined: true };
  const { locks, busy } = await lockAll(house, pruner);
  try {
    for (const name of busy)
      throw new Refusal(
        3,
        `another run is going on: it works on ${shown(pruner, name)}`,
        'wait for it or end it',
      );
    // Once more: what was true before the question and the locks may not be now.
    const { things, notices } = await findAll(house, pruner);
    await refuseLoss(house, pruner, things);
    const failures = await removeWorktrees(pruner, things);
    await pruner.deleteRefs(refsAmong(things));
    const empty = pruner.removeState();
    return { ...stays, things, notices, failures: [...failures, ...empty()] };
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** What is there to take, and in words what is left. */
async function findAll(
  { facts }: House,
  pruner: Pruner,
): Promise<Pick<GcResult, 'things' | 'notices'>> {
  const things = await readThings(pruner);
  const known = new Set(things.flatMap(({ worktree }) => worktree ?? []));
  const plans = new Set(things.flatMap(({ plan }) => plan ?? []));
  const isolated = pruner.worktrees().filter((one) => isOurs(one, { known, plans }));
  const clean: OwnThing[] = [];
  const notices: string[] = [];
  for (const worktree of isolated) {
    const name = worktree.folder;
    if (name !== facts.top && (await pruner.isClean(worktree)))
      clean.push({ kind: 'worktree', name, at: 0, bytes: 0 });
    else
      notices.push(
        `the worktree ${name} stays: it is where you are, or holds files that no commit has; to remove it with them: git worktree remove --force '${name}'`,
      );
  }
  return { things: [...(await weighed(pruner, things)), ...clean], notices };
}

interface Ours {
  /** Work trees that we have worked in. */
  readonly known: ReadonlySet<string>;
  readonly plans: ReadonlySet<string>;
}

function isOurs(worktree: WorktreeEntry, { known, plans }: Ours): boolean {
  const { id, isMain, isGone, branch } = worktree;
  if (isMain || isGone || !known.has(id)) return false;
  return [...plans].some((plan) => branch === isolateBranch(plan));
}

async function refuseLoss(
  house: House,
  pruner: Pruner,
  things: readonly OwnThing[],
): Promise<void> {
  const open = await underWay(house, pruner);
  const dead = pruner.worktrees().find(({ id }) => open.has(id));
  if (dead !== undefined)
    throw new Refusal(
      3,
      `an attempt or another change is under way in ${dead.folder}, or was when its run died; nothing was touched`,
      'skeleton run there, which finishes it or brings everything back',
    );
  const aside = things.find(({ kind }) => kind === 'autostash');
  if (aside !== undefined)
    throw new Refusal(
      3,
      `work of yours is set aside at ${aside.name}, and nothing was touched`,
      `git stash apply ${aside.name}; then: git update-ref -d ${aside.name}`,
    );
}

async function removeWorktrees(
  pruner: Pruner,
  things: readonly OwnThing[],
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const worktree of pruner.worktrees()) {
    if (!things.some(({ kind, name }) => kind === 'worktree' && name === worktree.folder)) continue;
    try {
      await pruner.removeWorktree(worktree);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return failures;
}
