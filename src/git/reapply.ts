import { copyFileSync, mkdirSync } from 'node:fs';
import type { Snapshot } from '../core/events.ts';
import { Refusal } from '../ports.ts';
import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { GitError } from './git.ts';
import { clearWay } from './in-the-way.ts';
import { treeOf } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { logFolderOf } from './open-traces.ts';
import { useIndex } from './private-index.ts';
import { openQuarantine } from './quarantine.ts';
import { statOf } from './raw-files.ts';
import { treeDifference } from './read-back.ts';
import { trackedPaths } from './tracked-paths.ts';

/**
 * Puts what a kept attempt had changed into the work tree of one that has just begun, with the exact bytes where its snapshot
 * holds converted ones. What stands in the way and git does not know goes to quarantine. False, with nothing touched, where a
 * person has changed the same paths since. Throws Refusal(4) where the tree is no longer where the attempt began.
 */
export async function reapplySnapshot(attempt: OpenAttempt, snapshot: Snapshot): Promise<boolean> {
  const tree = await mergedTree(attempt, snapshot);
  if (tree === undefined) return false;
  await layOutTree(attempt, snapshot, tree);
  return true;
}

/**
 * Lays out a tree that holds what a kept attempt had changed. `isOther`: paths of it that are not as the snapshot has them.
 * Throws Refusal(4) where the work tree is no longer where the attempt began.
 */
export async function layOutTree(
  attempt: OpenAttempt,
  snapshot: Snapshot,
  tree: string,
  isOther: (path: ByteName) => boolean = () => false,
): Promise<void> {
  const { repository, record, quarantine, baseIndex } = attempt;
  const { facts } = record.attempt;
  // Whoever finds the work after a kill has to know that the attempt had begun: the ledger does not say so yet.
  if (facts !== undefined)
    mkdirSync(logFolderOf(repository, facts.run, record.attempt), { recursive: true });
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
  layOutRaw(
    attempt,
    snapshot,
    written.filter((path) => !isOther(path)),
  );
}

/** The tree of now with what the kept attempt had changed; undefined where both changed the same path. */
export async function mergedTree(
  { repository, record }: OpenAttempt,
  { commit }: Snapshot,
): Promise<string | undefined> {
  const [then, kept] = [await treeOf(repository, `${commit}^1`), await treeOf(repository, commit)];
  if (then === record.tree) return kept;
  const ours = await treeDifference(repository, then, kept);
  const theirs = await treeDifference(repository, then, record.tree);
  if ([...ours].some(([path, id]) => theirs.has(path) && theirs.get(path) !== id)) return undefined;
  const { git } = repository;
  const index = useIndex(repository, undefined, 'other');
  await git.run(['read-tree', record.tree], { index });
  const listed = (await git.run(['ls-tree', '-r', '-z', kept])).toString('latin1').split('\0');
  const changed = listed.filter((line) => ours.has(line.slice(line.indexOf('\t') + 1)));
  const deleted = [...ours].filter(([, id]) => id === undefined);
  const none = '0'.repeat(commit.length);
  const lines = [...changed, ...deleted.map(([path]) => `0 ${none}\t${path}`)];
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1');
  await git.run(['update-index', '-z', '--replace', '--index-info'], { index, input });
  return (await git.run(['write-tree'], { index })).toString().trim();
}

/** The exact bytes of what a kept attempt had written, where its tree holds converted ones. */
export function layOutRaw(
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
