import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { haveIgnoreRulesChanged, ignoredAtBegin } from './ignore-rules.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { useIndex } from './private-index.ts';
import { isReadable, statOf } from './raw-files.ts';
import { isChanged, isIgnored, isUntracked, readStatus } from './status.ts';
import type { StatusLine } from './status.ts';
import { specialKind } from './walk.ts';

/** One path in which the work tree differs from where the attempt began. */
export interface Change {
  readonly path: ByteName;
  readonly status: 'A' | 'M' | 'D' | 'T';
}

/** The work tree against where the attempt began, sorted by what may become of each path. */
export interface Survey {
  /** Our index, which matches where the attempt began. */
  readonly index: string;
  /** What a snapshot holds. */
  readonly changes: readonly Change[];
  /** Untracked now, ignored where the attempt began: in no snapshot and no checkpoint. */
  readonly unignored: readonly ByteName[];
  /** Ignored now by rules that the attempt wrote. */
  readonly newlyIgnored: readonly { readonly path: ByteName; readonly isFolder: boolean }[];
  readonly ignored: readonly StatusLine[];
  /** Repositories inside this one, which git does not enter. */
  readonly repositories: readonly ByteName[];
  /** Larger than the plan allows. */
  readonly huge: readonly ByteName[];
  /** What git cannot read. */
  readonly unreadable: readonly ByteName[];
  readonly submodules: readonly ByteName[];
  readonly haveRulesChanged: boolean;
}

/** One scan, with a fresh copy of the base's index. To be called when the tree holds no FIFO that git would open. */
export async function surveyTree(
  attempt: OpenAttempt,
  ignoreFiles: readonly ByteName[],
): Promise<Survey> {
  const { repository, baseIndex, record } = attempt;
  const index = useIndex(repository, baseIndex);
  const lines = await readStatus(repository.git, index);
  const haveRulesChanged = haveIgnoreRulesChanged(attempt, ignoreFiles);
  const files = lines.filter((line) => isUntracked(line) && !line.isFolder).map(({ path }) => path);
  const ignored = lines.filter(isIgnored);
  const then = haveRulesChanged
    ? await ignoredAtBegin(attempt, [...files, ...ignored.map(asGiven)])
    : undefined;
  const added = files.filter((path) => then?.has(path) !== true);
  const changes = [
    ...(await changedLines(attempt, index, lines)).map((line) => ({
      path: line.path,
      status: letterOf(line),
    })),
    ...added.map((path): Change => ({ path, status: 'A' })),
  ];
  const sorted = sortChanges(repository.top, changes, record.maxFile);
  return {
    ...sorted,
    index,
    unignored: files.filter((path) => then?.has(path) === true),
    newlyIgnored: then === undefined ? [] : ignored.filter((line) => !then.has(asGiven(line))),
    ignored,
    repositories: lines
      .filter((line) => isUntracked(line) && line.isFolder)
      .map(({ path }) => path),
    submodules: lines.filter(({ submodule }) => submodule !== undefined).map(({ path }) => path),
    haveRulesChanged,
  };
}

/** Where line ends are converted, git calls a file changed as soon as its size is another, though it would store the same. */
async function changedLines(
  { repository, record }: OpenAttempt,
  index: string,
  lines: readonly StatusLine[],
): Promise<readonly StatusLine[]> {
  const changed = lines.filter(isChanged);
  const doubtful = changed.filter((line) => isDoubtful(line));
  if (!record.converts || doubtful.length === 0) return changed;
  const readable = doubtful.filter(({ path }) => isReadable(`${repository.top}/${path}`));
  const input = toPath(readable.map(({ path }) => `${path}\n`).join(''));
  const out = await repository.git.run(['hash-object', '--stdin-paths'], { index, input });
  const ids = out.toString().split('\n');
  const same = new Set(readable.filter(({ oid }, i) => ids[i] === oid));
  return changed.filter((line) => !same.has(line));
}

function isDoubtful({ code, path, hasNewMode }: StatusLine): boolean {
  return code[1] === 'M' && !hasNewMode && !path.includes('\n');
}

function asGiven({ path, isFolder }: StatusLine): ByteName {
  return isFolder ? `${path}/` : path;
}

function letterOf({ code }: StatusLine): 'M' | 'D' | 'T' {
  const [, letter] = code;
  return letter === 'D' || letter === 'T' ? letter : 'M';
}

type Sort = 'huge' | 'unreadable' | 'gone' | 'plain';

function sortChanges(
  top: ByteName,
  all: readonly Change[],
  maxFile: number,
): Pick<Survey, 'changes' | 'huge' | 'unreadable'> {
  const sorted = all.map((change) => ({ change, sort: sortOf(top, change, maxFile) }));
  const pathsOf = (wanted: Sort): readonly ByteName[] =>
    sorted.filter(({ sort }) => sort === wanted).map(({ change }) => change.path);
  const gone = pathsOf('gone').map((path): Change => ({ path, status: 'D' }));
  const plain = sorted.filter(({ sort }) => sort === 'plain').map(({ change }) => change);
  return {
    changes: [...plain, ...gone],
    huge: pathsOf('huge'),
    unreadable: pathsOf('unreadable'),
  };
}

function sortOf(top: ByteName, { path, status }: Change, maxFile: number): Sort {
  // What seems to be there may lie behind a link that has taken a folder's place.
  if (status === 'D') return 'plain';
  const stat = statOf(`${top}/${path}`);
  // It vanished since it was listed.
  if (stat === undefined) return 'gone';
  if (specialKind(stat) !== undefined) return 'unreadable';
  if (!stat.isFile()) return 'plain';
  if (stat.size > maxFile) return 'huge';
  return isReadable(`${top}/${path}`) ? 'plain' : 'unreadable';
}
