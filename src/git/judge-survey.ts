import type { Failure } from '../core/failure.ts';
import type { AttemptRules } from '../ports.ts';
import { toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { shownList } from './ignored-files.ts';
import { changeJudge, compareProtected, watchProtected } from './protect.ts';
import { setPlantedAside } from './set-planted-aside.ts';
import type { Change, Survey } from './survey.ts';

export interface Judged {
  /** Why the attempt cannot pass; undefined where gates may judge it. */
  readonly failure: Failure | undefined;
  readonly notices: readonly string[];
}

export interface Evidence {
  readonly survey: Survey;
  /** What would change, files that leave the tree but stay on the disk included. */
  readonly changes: readonly Change[];
}

/** Holds what an attempt changed against what it may change. New files among the gates that git would not see are set aside. */
export function judgeSurvey(
  attempt: OpenAttempt,
  rules: AttemptRules,
  { survey, changes }: Evidence,
): Judged {
  const tampering = findTampering(attempt, rules, { survey, changes });
  const notices = [
    ...describeSubmodules(survey),
    ...tampering.notices,
    ...describeNewIgnored(attempt, survey),
  ];
  const { repositories, huge, unreadable, unignored } = survey;
  const reasons: readonly (readonly [Failure['kind'], readonly ByteName[]])[] = [
    ['nested-repo', repositories],
    ['too-large', huge],
    ['unaddable', unreadable],
    ['unignored', unignored],
    ['tampered', tampering.paths],
  ];
  const found = reasons.find(([, paths]) => paths.length > 0);
  if (found !== undefined)
    return { failure: { kind: found[0], paths: found[1].map(toShown) }, notices };
  const isEmpty = changes.length === 0 && !rules.allowEmpty;
  return { failure: isEmpty ? { kind: 'no-change' } : undefined, notices };
}

function describeSubmodules({ submodules }: Survey): readonly string[] {
  if (submodules.length === 0) return [];
  const names = submodules.map(toShown).join(', ');
  return [`changes in submodules are neither committed nor put back: ${names}`];
}

/** An ignored source file makes gates green in place and is in no checkpoint: who works on needs to know. */
function describeNewIgnored({ record }: OpenAttempt, { ignored }: Survey): readonly string[] {
  const known = new Set([
    ...record.ignored.map(([path]) => path),
    ...record.ignoredOthers.map(([path]) => path),
    ...record.ignoredFolders,
  ]);
  const added = ignored.map(({ path }) => path).filter((path) => !known.has(path));
  if (added.length === 0) return [];
  return [`new, but ignored by git, so in no checkpoint: ${shownList(added)}`];
}

interface Tampering {
  readonly paths: readonly ByteName[];
  readonly notices: readonly string[];
}

function findTampering(
  attempt: OpenAttempt,
  rules: AttemptRules,
  { survey, changes }: Evidence,
): Tampering {
  const { repository, record } = attempt;
  const { path } = rules.plan;
  const mayChange = changeJudge({ ...rules, protect: [...rules.protect, literalGlob(path)] });
  const folders = survey.ignored.filter((line) => line.isFolder).map((line) => line.path);
  const ignored = {
    files: survey.ignored.filter((line) => !line.isFolder).map((line) => line.path),
    folders: [...record.ignoredFolders, ...folders],
  };
  const now = watchProtected(repository.top, [...rules.protect, ...rules.judges], ignored);
  const watched = compareProtected(record.protectedFiles, now, mayChange);
  const seen = new Set(changes.map((change) => change.path));
  const planted = watched.planted.filter((name) => !seen.has(name));
  const notices = setPlantedAside(attempt, planted);
  const tampered = changes.filter((change) => !mayChange(change)).map((change) => change.path);
  const isPlan = (name: ByteName): boolean => name === toByteName(path) && !seen.has(name);
  const paths = new Set([...tampered, ...watched.tampered.filter((name) => !isPlan(name))]);
  return { paths: [...paths].sort(), notices };
}

/** A path as a glob that matches just it. */
function literalGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');
}
