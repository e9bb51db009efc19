import type { Failure } from '../core/failure.ts';
import type { AttemptRules, ChangedPath, Inspection } from '../ports.ts';
import { byName, toByteName, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { restoreGuarded } from './config-guard.ts';
import { findSecrets } from './find-secrets.ts';
import { keptCommits } from './kept-commits.ts';
import { judgeSurvey } from './judge-survey.ts';
import { findObstacles } from './obstacles.ts';
import type { Obstacles } from './obstacles.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { mergeTick, restoreMarks, untick, writePlan } from './plan-file.ts';
import type { PlanFinding } from './plan-file.ts';
import { readIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { guardRefs } from './refs-guard.ts';
import { makeStateFolder } from './located-repository.ts';
import { stageChanges } from './stage.ts';
import { clearLocks } from './stale-locks.ts';
import { surveyTree } from './survey.ts';
import type { Change, Survey } from './survey.ts';
import { dropUntracked, untrackedPaths } from './untracked-paths.ts';

/** What was inspected, with the index that belongs to a candidate. */
export interface Inspected {
  readonly inspection: Inspection;
  readonly index: IndexContent | undefined;
}

/**
 * Puts back configuration, hooks, refs and HEAD, then looks at what the attempt left: a tree that gates may judge, with the
 * task ticked, or why it cannot pass (contract, "Gates"). What was tampered with weighs more than that nothing changed.
 * `again`: gates that may change the tree have run since, and the tick that is there is ours.
 */
export async function inspectAttempt(
  attempt: OpenAttempt,
  rules: AttemptRules,
  again: boolean,
): Promise<Inspected> {
  const restored = await restoreSettings(attempt);
  const notices = [...restored.notices];
  const refuse = (failure: Failure): Inspected => ({
    inspection: { kind: 'refused', failure, notices },
    index: undefined,
  });
  const obstacles = await findObstacles(attempt);
  const blocked = blockedBy(obstacles);
  if (blocked !== undefined) return refuse(blocked);
  const plan = restoreMarks(attempt, rules);
  if (plan === 'marked' && !again)
    notices.push(`marks that the attempt set in ${rules.plan.path} are put back`);
  const survey = await surveyTree(attempt, obstacles.walk.ignoreFiles);
  const dropped = await untrackedPaths(attempt, survey);
  const staying = survey.changes.filter(({ path }) => !dropped.includes(path));
  const changes = [...staying, ...dropped.map((path): Change => ({ path, status: 'D' }))];
  const judged = judgeSurvey(attempt, rules, { survey, changes });
  notices.push(...judged.notices);
  if (judged.failure !== undefined) return refuse(judged.failure);
  const kept = await keptCommits(attempt, rules, restored.agentHead);
  if (kept.unignored.length > 0) return refuse(failureOf('unignored', kept.unignored));
  const secret = await findSecrets(attempt, changes, { commits: kept.commits, ...rules });
  if (secret !== undefined) return refuse(secret);
  const candidate = await takeCandidate(attempt, rules, { survey, dropped, plan });
  if ('kind' in candidate) return refuse(candidate);
  const { tree, index } = candidate;
  const changed = changes.map(portChange).sort((a, b) => byName(a.path, b.path));
  const commits = kept.commits === undefined ? {} : { commits: kept.commits };
  return { inspection: { kind: 'candidate', tree, changed, notices, ...commits }, index };
}

/** Configuration first: git runs what it names. */
export async function restoreSettings(attempt: OpenAttempt): Promise<{
  readonly notices: readonly string[];
  readonly agentHead: string | undefined;
}> {
  makeStateFolder(attempt.repository);
  const settings = restoreGuarded(attempt);
  const locks = await clearLocks(attempt);
  const refs = await guardRefs(attempt);
  const notices = [...settings, ...locks, ...(await refs.putBack())];
  return { notices, agentHead: refs.agentHead };
}

function blockedBy({ specials, repositories, unreadable }: Obstacles): Failure | undefined {
  if (specials.length > 0) return failureOf('unaddable', specials);
  if (repositories.length > 0) return failureOf('nested-repo', repositories);
  return unreadable.length > 0 ? failureOf('unaddable', unreadable) : undefined;
}

function failureOf(kind: Failure['kind'], paths: readonly ByteName[]): Failure {
  return { kind, paths: paths.map(toShown) };
}

function portChange({ path, status }: Change): ChangedPath {
  return { path: toText(path), status };
}

interface Taking {
  readonly survey: Survey;
  readonly dropped: readonly ByteName[];
  readonly plan: PlanFinding;
}

interface Candidate {
  readonly tree: string;
  readonly index: IndexContent;
}

/** Ticks the plan and writes the tree of it all; where git cannot hold something, the tick is taken back. */
async function takeCandidate(
  attempt: OpenAttempt,
  rules: AttemptRules,
  { survey, dropped, plan }: Taking,
): Promise<Candidate | Failure> {
  const { repository } = attempt;
  const { index } = survey;
  const path = toByteName(rules.plan.path);
  const tick = await tickPlan(attempt, rules, plan);
  if (tick === undefined)
    return { ...failureOf('tampered', [path]), detail: 'where the tick goes' };
  const others = survey.changes.filter((change) => change.path !== path);
  const unaddable = await stageChanges(repository, index, [...others, ...tick]);
  if (unaddable.length > 0) {
    untick(attempt);
    return failureOf('unaddable', unaddable);
  }
  await dropUntracked(repository, index, dropped);
  const tree = (await repository.git.run(['write-tree'], { index })).toString().trim();
  const content = readIndex(toByteName(index));
  if (content === undefined) throw new Error(`our index ${index} is gone`);
  return { tree, index: content };
}

/** Gives what changed by it; undefined where the attempt rewrote the very lines that the tick goes to. */
async function tickPlan(
  attempt: OpenAttempt,
  rules: AttemptRules,
  plan: PlanFinding,
): Promise<readonly Change[] | undefined> {
  const { path, before, ticked } = rules.plan;
  const change: Change = { path: toByteName(path), status: 'M' };
  if (Buffer.from(before).equals(ticked)) return plan === 'rewritten' ? [change] : [];
  const bytes = plan === 'rewritten' ? await mergeTick(attempt, rules) : ticked;
  if (bytes === undefined) return undefined;
  writePlan(attempt, bytes);
  return [change];
}
