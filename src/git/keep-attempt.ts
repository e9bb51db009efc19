import { toByteName, toShown } from './byte-name.ts';
import { leaveCompany } from './company.ts';
import type { Identity } from './identity.ts';
import { restoreIgnored } from './ignored-files.ts';
import { restoreSettings } from './inspect.ts';
import { findObstacles } from './obstacles.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readPlan, sha256 } from './plan-file.ts';
import { readIndex, useIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { writeWhole } from './raw-files.ts';
import { moveRefsOutOfTheWay } from './refs-in-the-way.ts';
import type { RolledBack } from './roll-back.ts';
import { settleTree } from './settle.ts';
import { keptCommit } from './kept-commit.ts';
import { takeSnapshot } from './snapshot.ts';
import type { Left } from './snapshot.ts';
import { stageChanges } from './stage.ts';
import { surveyTree } from './survey.ts';
import { putTakenBack } from './taken.ts';

/**
 * What becomes of a person's attempt that did not pass: a snapshot like that of any other, and a work tree, index and HEAD as
 * the person had them (contract, "Git": `take`). Undone is only what gates and we did there: the tick and the index, files that
 * gates changed, ignored ones too, and, set aside, those that they made. Nothing is overwritten that is not kept. Safe to repeat
 * after a crash.
 */
export async function keepAttempt(
  attempt: OpenAttempt,
  candidate: IndexContent | undefined,
  identity: () => Promise<Identity>,
): Promise<RolledBack> {
  const notices = [
    ...attempt.notices,
    ...(await moveRefsOutOfTheWay(attempt.repository, attempt.record.attempt)),
    ...(await undoGates(attempt, candidate)),
  ];
  const left = await takeAll(attempt);
  const snapshot = await takeSnapshot(attempt, { ...left, agentCommits: [] }, await identity());
  await attempt.anchors.drop();
  leaveCompany(attempt.repository);
  return { snapshot, notices: [...notices, ...left.notices] };
}

/** The same snapshot before any gate runs, so that a crash finds the person's work kept. Once; settings are put back first. */
export async function keepBeforeGates(
  attempt: OpenAttempt,
  identity: () => Promise<Identity>,
): Promise<readonly string[]> {
  if (attempt.record.taken === undefined || keptCommit(attempt.repository) !== '') return [];
  const { notices } = await restoreSettings(attempt);
  const left = await takeAll(attempt);
  await takeSnapshot(attempt, { ...left, agentCommits: [] }, await identity());
  return notices;
}

/** Where somebody has committed since a crash, what lies there is theirs, and stays. */
async function undoGates(
  attempt: OpenAttempt,
  candidate: IndexContent | undefined,
): Promise<readonly string[]> {
  const { record } = attempt;
  if (candidate === undefined) putPlanBack(attempt);
  const index = candidate ?? (await keptIndex(attempt));
  if (index === undefined || record.taken?.base !== record.base) return [];
  const { changed, index: settled } = await settleTree(attempt, index, record.taken.others);
  if (!changed.includes(record.plan.path)) putPlanBack(attempt, candidate !== undefined);
  return [
    ...(await putTakenBack(attempt, record.taken, { changed, index: settled })),
    ...restoreIgnored(attempt),
  ];
}

/** Of the tree that was kept before the gates ran; undefined where none has run. */
async function keptIndex({ repository }: OpenAttempt): Promise<IndexContent | undefined> {
  const kept = keptCommit(repository);
  if (kept === '') return undefined;
  const index = useIndex(repository, undefined, 'other');
  await repository.git.run(['read-tree', kept], { index });
  return readIndex(toByteName(index));
}

/** After a crash a person may have gone on: then the plan is theirs, unless it is one of those that we write. */
function putPlanBack({ repository, record }: OpenAttempt, isOurs = false): void {
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
