import type { Snapshot } from '../core/events.ts';
import { toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { writeCommit } from './commit-object.ts';
import type { Identity } from './identity.ts';
import { blockedPaths } from './in-the-way.ts';
import { treeOf } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { useIndex } from './private-index.ts';
import { treeDifference } from './read-back.ts';
import { layOutTree } from './reapply.ts';
import { trackedPaths } from './tracked-paths.ts';

/**
 * Lays what a kept attempt had changed onto where this one has just begun: three-way, as git-merge-tree(1) does it, so that the
 * outcome depends on the three trees alone. The plan stays as it lies. Gives the paths that conflict, or where something lies that
 * git does not know (an ignored file: the kept attempt could not see it), with nothing touched.
 */
export async function mergeKept(
  attempt: OpenAttempt,
  identity: () => Promise<Identity>,
  ...[snapshot, planPath]: readonly [snapshot: Snapshot, planPath: string]
): Promise<readonly string[]> {
  const { repository, record } = attempt;
  const kept = await withoutPlan(attempt, snapshot, planPath);
  const then = await treeOf(repository, `${snapshot.commit}^1`);
  if (then === record.tree) return layOutFree(attempt, snapshot, kept);
  const message = { subject: 'kept work', body: '', trailers: [] };
  const parents = [await parentOf(attempt, snapshot)];
  const theirs = writeCommit(repository, await identity(), { tree: kept, parents, message });
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages'];
  const merged = await repository.git.ask([...args, record.base, theirs], { answers: [1] });
  const [tree = '', ...names] = merged.stdout.toString('latin1').split('\0');
  if (merged.code === 1) return [...new Set(names)].filter((name) => name !== '').map(toShown);
  const others = await treeDifference(repository, kept, tree);
  return layOutFree(attempt, snapshot, tree, (path) => others.has(path));
}

async function layOutFree(
  attempt: OpenAttempt,
  ...[snapshot, tree, isOther]: readonly [Snapshot, string, ((path: ByteName) => boolean)?]
): Promise<readonly string[]> {
  const { repository, record, baseIndex } = attempt;
  const difference = await treeDifference(repository, record.tree, tree);
  const written = [...difference].filter(([, id]) => id !== undefined).map(([path]) => path);
  const tracked = trackedPaths(baseIndex.bytes, repository);
  const blocked = blockedPaths(repository, { written, isHeld: (path) => tracked.has(path) });
  if (blocked.length === 0) await layOutTree(attempt, snapshot, tree, isOther);
  return blocked.map(toShown);
}

async function parentOf({ repository }: OpenAttempt, { commit }: Snapshot): Promise<string> {
  const out = await repository.git.run(['rev-parse', '--verify', '--quiet', `${commit}^1`]);
  return out.toString().trim();
}

/** The kept tree, but for the plan, which is as it was where the kept attempt began: ticks are ours to make. */
async function withoutPlan(
  { repository }: OpenAttempt,
  { commit }: Snapshot,
  planPath: string,
): Promise<string> {
  const { git } = repository;
  const path: ByteName = toByteName(planPath);
  const index = useIndex(repository, undefined, 'other');
  await git.run(['read-tree', commit], { index });
  const before = await git.run(['ls-tree', '-z', '--full-tree', `${commit}^1`, '--', planPath]);
  const line = before.toString('latin1').split('\0')[0] ?? '';
  const none = `0 ${'0'.repeat(commit.length)}\t${path}`;
  const input = Buffer.from(`${line === '' ? none : line}\0`, 'latin1');
  await git.run(['update-index', '-z', '--replace', '--index-info'], { index, input });
  return (await git.run(['write-tree'], { index })).toString().trim();
}
