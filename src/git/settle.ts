import type { Failure } from '../core/failure.ts';
import { byName, toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { removeEmptied } from './folders.ts';
import { restoreSettings } from './inspect.ts';
import { clearObstacles, countObstacles, findObstacles } from './obstacles.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readIndex, useIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { isChanged, isUntracked, readStatus } from './status.ts';

export interface Settled {
  readonly failure: Failure | undefined;
  readonly changed: readonly ByteName[];
  /** The candidate's index, with its stat data fresh. */
  readonly index: IndexContent;
}

/**
 * After the gates: new files that they wrote go to quarantine, because the checkpoint is the tree they judged; tracked files
 * that they changed or deleted are a failure. Refs and configuration are put back as after the agent. `staying`: untracked
 * paths that lay there before.
 */
export async function settleTree(
  attempt: OpenAttempt,
  candidate: IndexContent,
  staying: readonly ByteName[] = [],
): Promise<Settled> {
  const { repository, quarantine } = attempt;
  await restoreSettings(attempt);
  const obstacles = await findObstacles(attempt);
  if (countObstacles(obstacles) > 0) clearObstacles(attempt, obstacles);
  const index = useIndex(repository, candidate);
  const lines = await readStatus(repository.git, index);
  for (const { path } of lines.filter(isUntracked)) {
    if (staying.includes(path)) continue;
    quarantine.take(`${repository.top}/${path}`, 'tree', path);
    removeEmptied(attempt, path);
  }
  const changed = lines.filter(isChanged).map(({ path }) => path);
  const settled = readIndex(toByteName(index)) ?? candidate;
  const failure = changed.length === 0 ? undefined : changedByGate(changed);
  return { failure, changed, index: settled };
}

function changedByGate(paths: readonly ByteName[]): Failure {
  return { kind: 'gate-changed-tree', paths: [...paths].sort(byName).map(toShown) };
}
