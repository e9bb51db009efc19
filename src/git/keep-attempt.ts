import { toShown } from './byte-name.ts';
import type { Identity } from './identity.ts';
import { findObstacles } from './obstacles.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readPlan, sha256 } from './plan-file.ts';
import { useIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { writeWhole } from './raw-files.ts';
import type { RolledBack } from './roll-back.ts';
import { settleTree } from './settle.ts';
import { takeSnapshot } from './snapshot.ts';
import type { Left } from './snapshot.ts';
import { stageChanges } from './stage.ts';
import { surveyTree } from './survey.ts';

/**
 * What becomes of a person's attempt that did not pass: a snapshot like that of any other, and a work tree, index and HEAD as
 * the person had them (contract, "Git": `take`). Undone is only what gates and we did there: the tick, files that gates
 * changed, and, set aside, those that they made. Nothing that a snapshot does not hold is moved. Safe to repeat after a crash.
 */
export async function keepAttempt(
  attempt: OpenAttempt,
  candidate: IndexContent | undefined,
  identity: () => Promise<Identity>,
): Promise<RolledBack> {
  const notices = [...attempt.notices];
  if (candidate !== undefined) notices.push(...(await undoGates(attempt, candidate)));
  putPlanBack(attempt, candidate !== undefined);
  const left = await takeAll(attempt);
  const snapshot = await takeSnapshot(attempt, { ...left, agentCommits: [] }, await identity());
  await attempt.anchors.drop();
  return { snapshot, notices: [...notices, ...left.notices] };
}

async function undoGates(
  attempt: OpenAttempt,
  candidate: IndexContent,
): Promise<readonly string[]> {
  const { failure, index: settled } = await settleTree(attempt, candidate);
  if (failure === undefined) return [];
  const index = useIndex(attempt.repository, settled);
  await attempt.repository.git.run(['checkout-index', '--force', '--all'], { index });
  return [`a gate changed files, which are put back: ${(failure.paths ?? []).join(', ')}`];
}

/** After a crash a person may have gone on: then the plan is theirs, unless it is one of those that we write. */
function putPlanBack({ repository, record }: OpenAttempt, isOurs: boolean): void {
  const thing = record.taken?.plan;
  if (thing?.kind !== 'file') return;
  const path = `${repository.top}/${record.plan.path}`;
  const now = readPlan(repository.top, record.plan.path);
  const ours = [record.plan.before.sha256, record.plan.ticked];
  if (now === undefined || sha256(now) === thing.bytes.sha256) return;
  if (isOurs || ours.includes(sha256(now)))
    writeWhole(path, record.bytesOf(thing.bytes), thing.mode);
}

/** The tree of all that git can hold; what it cannot stays where it is. */
async function takeAll(
  attempt: OpenAttempt,
): Promise<Left & { readonly notices: readonly string[] }> {
  const { repository, record } = attempt;
  const { walk } = await findObstacles(attempt);
  const survey = await surveyTree(attempt, walk.ignoreFiles);
  const failed = await stageChanges(repository, survey.index, survey.changes);
  const changes = survey.changes.filter(({ path }) => !failed.includes(path));
  const left = [...failed, ...survey.huge, ...survey.unreadable, ...survey.repositories];
  const notices =
    left.length === 0
      ? []
      : [`only in the work tree, in no snapshot: ${left.map(toShown).join(', ')}`];
  const written = await repository.git.run(['write-tree'], { index: survey.index });
  const tree = changes.length === 0 ? record.tree : written.toString().trim();
  return { tree, changes, agentCommits: [], notices };
}
