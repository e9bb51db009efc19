import { pathMatcher } from '../core/globs.ts';
import type { AttemptRules } from '../ports.ts';
import { isAtOrUnder, toByteName, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { digestOf, isReadable, linkTarget, statOf } from './raw-files.ts';
import { pathsBelow } from './things.ts';

/** Paths that judge every attempt, whatever `protect:` says (contract, "Gates"). */
const judges = ['gates', '.skeleton', '.skeleton.yml'];

export function isJudge(path: ByteName): boolean {
  return judges.some((judge) => isAtOrUnder(path, judge));
}

export type Guarded = Pick<AttemptRules, 'protect' | 'protectNew' | 'mayChange' | 'judges'>;

/** Says of a change whether the attempt may make it. */
export function changeJudge(
  rules: Guarded,
): (change: { readonly path: ByteName; readonly status: string }) => boolean {
  const isProtected = pathMatcher(rules.protect);
  const mayChange = pathMatcher(rules.mayChange);
  return ({ path, status }) => {
    const text = toText(path);
    if (mayChange(text)) return true;
    if (isJudge(path)) return false;
    if (rules.judges.includes(text)) return status === 'A';
    return !isProtected(text) || (!rules.protectNew && status === 'A');
  };
}

/**
 * Files on disk that judge or are protected though git may not watch them, with what they are: everything below `gates/` and
 * `.skeleton/`, ignored files that `protect` matches, and, where a glob begins inside an ignored folder, what matches there.
 */
export function watchProtected(
  top: ByteName,
  protect: readonly string[],
  ignored: { readonly files: readonly ByteName[]; readonly folders: readonly ByteName[] },
): (readonly [ByteName, string])[] {
  const matches = pathMatcher(protect);
  const bases = protect.map((glob) => toByteName(glob.replace(/[^/]*[*?[{(!].*$/s, '')));
  const entered = bases.filter((base) =>
    ignored.folders.some((folder) => isAtOrUnder(withoutSlash(base), folder)),
  );
  const relative = (path: ByteName): ByteName => path.slice(top.length + 1);
  const below = (name: ByteName): readonly ByteName[] => pathsBelow(`${top}/${name}`).map(relative);
  const found = [
    ...judges.flatMap(below),
    ...[...ignored.files, ...entered.map(withoutSlash).flatMap(below)].filter((path) =>
      matches(toText(path)),
    ),
  ];
  return [...new Set(found)].flatMap((path) => {
    const state = stateOf(`${top}/${path}`);
    return state === undefined ? [] : [[path, state] as const];
  });
}

function withoutSlash(path: ByteName): ByteName {
  return path.replace(/\/+$/, '');
}

/** Folders and special files have no content that could judge. */
function stateOf(path: ByteName): string | undefined {
  const stat = statOf(path);
  if (stat?.isSymbolicLink() === true) return `link ${linkTarget(path)}`;
  if (stat?.isFile() !== true) return undefined;
  return `${(stat.mode & 0o7777).toString(8)} ${isReadable(path) ? (digestOf(path) ?? '') : 'closed'}`;
}

export interface WatchFinding {
  /** Changed, deleted, or added where `protect` does not allow it. */
  readonly tampered: readonly ByteName[];
  /** New files among the gates that git does not see: a gate could read them. */
  readonly planted: readonly ByteName[];
}

/** What became of the files that watchProtected knew. */
export function compareProtected(
  then: readonly (readonly [ByteName, string])[],
  now: readonly (readonly [ByteName, string])[],
  mayChange: ReturnType<typeof changeJudge>,
): WatchFinding {
  const before = new Map(then);
  const after = new Map(now);
  const changed = [...before.keys()]
    .filter((path) => after.get(path) !== before.get(path))
    .map((path) => ({ path, status: after.has(path) ? 'M' : 'D' }));
  const added = [...after.keys()].filter((path) => !before.has(path));
  const others = added.filter((path) => !isJudge(path)).map((path) => ({ path, status: 'A' }));
  return {
    tampered: [...changed, ...others]
      .filter((change) => !mayChange(change))
      .map(({ path }) => path),
    planted: added.filter(isJudge),
  };
}
