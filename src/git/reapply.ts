import { copyFileSync } from 'node:fs';
import type { Snapshot } from '../core/events.ts';
import { Refusal } from '../ports.ts';
import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { GitError } from './git.ts';
import { clearWay } from './in-the-way.ts';
import { treeOf } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { useIndex } from './private-index.ts';
import { openQuarantine } from './quarantine.ts';
import { statOf } from './raw-files.ts';
import { treeDifference } from './read-back.ts';
import { trackedPaths } from './tracked-paths.ts';

/**
 * Puts the files of a kept attempt into the work tree of one that has just begun, with the exact bytes where its snapshot
 * holds converted ones. What stands in the way and git does not know goes to quarantine. Throws Refusal(4) where the tree is
 * no longer where the attempt began.
 */
export async function reapplySnapshot(attempt: OpenAttempt, snapshot: Snapshot): Promise<void> {
  const { repository, record, quarantine, baseIndex } = attempt;
  const tree = await treeOf(repository, snapshot.commit);
  const difference = await treeDifference(repository, record.tree, tree);
  const tracked = trackedPaths(baseIndex.bytes, repository);
  const written = [...difference].filter(([, id]) => id !== undefined).map(([path]) => path);
  clearWay(repository, quarantine, { written, isHeld: (path) => tracked.has(path) });
  const index = useIndex(repository, baseIndex, 'other');
  try {
    await repository.git.run(['read-tree', '-m', '-u', record.tree, tree], { index });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const words = `the kept attempt ${snapshot.ref} cannot be laid out: ${error.stderr.trim()}`;
    throw new Refusal(4, words, 'git status; then run again');
  }
  layOutRaw(attempt, snapshot, written);
}

function layOutRaw(
  { repository }: OpenAttempt,
  { ref }: Snapshot,
  paths: readonly ByteName[],
): void {
  const [plan = '', task = '', number = ''] = ref.split('/').slice(-3);
  const kept = openQuarantine(repository, { plan, task, id: task, number: Number(number) });
  for (const path of paths) {
    const raw = kept.pathOf('raw', path);
    if (statOf(raw)?.isFile() !== true) continue;
    copyFileSync(toPath(raw), toPath(`${repository.top}/${path}`));
  }
}
