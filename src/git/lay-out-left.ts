import type { LeftBehind } from '../ports.ts';
import type { ByteName } from './byte-name.ts';
import { treeChanges } from './entries.ts';
import type { PathChange, PathChanges } from './entries.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { sha256 } from './plan-file.ts';
import { layOutRaw, mergedTree } from './reapply.ts';
import { shiftTree } from './shift-tree.ts';

/**
 * Puts into the work tree what an earlier attempt had left there: contents, modes, links, deletions; not the tick, which is
 * ours. What git does not know and stands in the way goes to quarantine. Undefined, with nothing touched, where an object of it
 * is gone (git-gc(1) prunes what no ref holds), or a path holds something else.
 */
export async function layOutLeft(
  attempt: OpenAttempt,
  { tree, snapshot, over }: LeftBehind,
): Promise<readonly string[] | undefined> {
  const { repository, record, quarantine } = attempt;
  const lies = over === undefined ? record.tree : await mergedTree(attempt, over);
  if (lies === undefined || !(await isWhole(attempt, tree))) return undefined;
  const changes = await withoutTick(attempt, await treeChanges(repository, lies, tree));
  const shifted = await shiftTree(repository, changes, quarantine);
  if (shifted.kind === 'conflict') return undefined;
  const written = [...changes].filter(([, { to }]) => to !== undefined).map(([path]) => path);
  if (snapshot !== undefined) layOutRaw(attempt, snapshot, written);
  return shifted.notices;
}

/** Whether all objects of a tree are there (git-rev-list(1), `--quiet`). */
async function isWhole({ repository, record }: OpenAttempt, tree: string): Promise<boolean> {
  const args = ['rev-list', '--objects', '--quiet', `${tree}^{tree}`, '--not', record.tree];
  const { code } = await repository.git.ask(args, { answers: [1, 128] });
  return code === 0;
}

async function withoutTick(
  { repository, record }: OpenAttempt,
  changes: PathChanges,
): Promise<PathChanges> {
  const { path, ticked } = record.plan;
  const isTick = async ([name, { to }]: readonly [ByteName, PathChange]): Promise<boolean> =>
    name === path &&
    to !== undefined &&
    sha256(await repository.git.run(['cat-file', 'blob', to.oid])) === ticked;
  const left: (readonly [ByteName, PathChange])[] = [];
  for (const change of changes) if (!(await isTick(change))) left.push(change);
  return new Map(left);
}
