import type { Snapshot } from '../core/events.ts';
import { Refusal } from '../ports.ts';
import { compareGround } from './compare-ground.ts';
import { restoreGuarded } from './config-guard.ts';
import { restoreFolders } from './folders.ts';
import { GitError } from './git.ts';
import { identityOrOurs } from './identity.ts';
import type { Identity } from './identity.ts';
import { restoreIgnored } from './ignored-files.ts';
import { clearWay } from './in-the-way.ts';
import type { LineEnds } from './line-ends.ts';
import { layBare } from './lay-bare.ts';
import type { Bare } from './lay-bare.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { untick } from './plan-file.ts';
import { guardRefs } from './refs-guard.ts';
import { restoreLineEnds } from './restore-line-ends.ts';
import { makeStateFolder } from './located-repository.ts';
import { plantedFiles, setPlantedAside } from './set-planted-aside.ts';
import { takeSnapshot } from './snapshot.ts';
import { clearLocks } from './stale-locks.ts';
import { giveToUser } from './user-index.ts';

export interface RolledBack {
  readonly snapshot: Snapshot;
  readonly notices: readonly string[];
}

export interface RollBackTools {
  /** Asked only once the configuration is put back: it says who the user is. */
  readonly identity: () => Promise<Identity>;
  readonly lineEnds: LineEnds;
}

/** Somebody may be saving a file at this moment. */
const mostTries = 3;

/**
 * Keeps everything an attempt left, then puts everything back where it began, in the order of architecture.md ("Order of
 * writes"): nothing is destroyed before it is in a snapshot that was read back, or in quarantine. `git clean`, `reset --hard`
 * and `stash` are never called. Safe to repeat after a crash. Throws Refusal(4) where something cannot be kept or put back.
 */
export async function rollBackAttempt(
  attempt: OpenAttempt,
  tools: RollBackTools,
): Promise<RolledBack> {
  makeStateFolder(attempt.repository);
  const notices = [...attempt.notices, ...restoreGuarded(attempt), ...(await clearLocks(attempt))];
  const refs = await guardRefs(attempt);
  untick(attempt);
  const restored = await keepAndRestore(attempt, {
    identity: await identityOrOurs(tools.identity),
    agentCommits: refs.agentCommits,
    beforeSwitch: async () => {
      notices.push(...(await refs.putBack()));
    },
  });
  notices.push(...restored.notices);
  await restoreLineEnds(attempt, tools.lineEnds, restored.index);
  notices.push(...restoreIgnored(attempt));
  notices.push(...setPlantedAside(attempt, plantedFiles(attempt)));
  restoreFolders(attempt);
  notices.push(...(await compareGround(attempt, restored.index)));
  await giveIndexBack(attempt, restored.index);
  await attempt.anchors.drop();
  return { snapshot: restored.snapshot, notices };
}

interface Keeping {
  readonly identity: Identity;
  readonly agentCommits: readonly string[];
  /** Runs once the snapshot is safe. */
  readonly beforeSwitch: () => Promise<void>;
}

interface Restored extends RolledBack {
  readonly index: string;
}

async function keepAndRestore(attempt: OpenAttempt, keeping: Keeping): Promise<Restored> {
  const notices: string[] = [];
  for (let tries = 1; ; tries += 1) {
    const bare = await layBare(attempt);
    notices.push(...bare.notices);
    const snapshot = await takeSnapshot(
      attempt,
      { ...bare, agentCommits: keeping.agentCommits },
      keeping.identity,
    );
    if (tries === 1) await keeping.beforeSwitch();
    notices.push(...clearWay(attempt.repository, attempt.quarantine, switchOf(bare)));
    const refused = await switchTree(attempt, bare);
    if (refused === undefined) return { snapshot, notices, index: bare.index };
    if (tries === mostTries) throw notRestored(refused, snapshot);
  }
}

function switchOf({ changes }: Bare): Parameters<typeof clearWay>[2] {
  const held = new Set(changes.filter(({ status }) => status !== 'D').map(({ path }) => path));
  return {
    written: changes.filter(({ status }) => status !== 'A').map(({ path }) => path),
    isHeld: (path) => held.has(path),
  };
}

/** All or nothing (git-read-tree(1), "Two Tree Merge"): it stops where a file is no longer what the index says. */
async function switchTree(
  { repository, record }: OpenAttempt,
  { tree, index }: Bare,
): Promise<GitError | undefined> {
  if (tree === record.tree) return undefined;
  try {
    await repository.git.run(['read-tree', '-m', '-u', tree, record.tree], { index });
    return undefined;
  } catch (error) {
    if (error instanceof GitError && error.code !== null) return error;
    throw error;
  }
}

function notRestored(error: GitError, snapshot: Snapshot): Refusal {
  return new Refusal(
    4,
    `the attempt is kept at ${snapshot.ref}, but the work tree cannot be put back: ${error.stderr.trim()}`,
    'git status; then run again',
  );
}

/** The user's index holds what it held, whatever the agent staged. */
async function giveIndexBack({ repository, record }: OpenAttempt, index: string): Promise<void> {
  if (record.baseTree !== record.tree)
    await repository.git.run(['read-tree', '-i', '-m', record.base], { index });
  await giveToUser(repository, index, record.flags);
}
