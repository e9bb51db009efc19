import { readFileSync } from 'node:fs';
import { Refusal } from '../ports.ts';
import { foldersAbove, toByteName, toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { GitError } from './git.ts';
import { visitIndex } from './index-file.ts';
import { writeObject } from './objects.ts';
import { errorCode, readRegular } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import type { Change } from './survey.ts';

/** What stands in an index of ours for a path. */
export interface Staged {
  readonly mode: number;
  readonly oid: string;
}

export function readStaged(
  { objectFormat }: Repository,
  index: string,
  wanted: ReadonlySet<ByteName>,
): ReadonlyMap<ByteName, Staged> {
  const staged = new Map<ByteName, Staged>();
  visitIndex(readFileSync(toPath(toByteName(index))), objectFormat, ({ path, mode, oid }) => {
    if (wanted.has(path)) staged.set(path, { mode, oid });
  });
  return staged;
}

/**
 * Takes changes of the work tree into an index of ours, whatever ignore rules say, and gives the paths that git cannot hold:
 * names such as `git~1`, which it skips with a warning, and files that a filter or the disk refuses.
 */
export async function stageChanges(
  repository: Repository,
  index: string,
  changes: readonly Change[],
): Promise<readonly ByteName[]> {
  const { beyond, others } = splitBeyondLinks(changes);
  if (beyond.length > 0) await updateIndex(repository, index, ['--force-remove'], beyond);
  const failed = await addAll(repository, index, others);
  return [...failed, ...skipped(repository, index, without(others, failed))];
}

async function updateIndex(
  { git }: Repository,
  index: string,
  ...[options, changes]: [readonly string[], readonly Change[]]
): Promise<void> {
  const input = Buffer.from(changes.map(({ path }) => `${path}\0`).join(''), 'latin1');
  await git.run(['update-index', ...options, '-z', '--stdin'], { index, input });
}

/** Deleted files whose folder is a link now: update-index looks no further than the link. */
function splitBeyondLinks(changes: readonly Change[]): {
  readonly beyond: readonly Change[];
  readonly others: readonly Change[];
} {
  const standing = new Set(changes.filter(({ status }) => status !== 'D').map(({ path }) => path));
  const isBeyond = ({ path, status }: Change): boolean =>
    status === 'D' && foldersAbove(path).some((folder) => standing.has(folder));
  const beyond = standing.size === 0 ? [] : changes.filter(isBeyond);
  return { beyond, others: beyond.length === 0 ? changes : changes.filter((c) => !isBeyond(c)) };
}

/** In one call; where that fails, in halves, until it is known which paths it was. */
async function addAll(
  repository: Repository,
  index: string,
  changes: readonly Change[],
): Promise<readonly ByteName[]> {
  if (changes.length === 0) return [];
  try {
    await updateIndex(repository, index, ['--add', '--remove', '--replace'], changes);
    return [];
  } catch (error) {
    if (!(error instanceof GitError) || error.code === null) throw error;
    if (changes.length === 1) return changes.map(({ path }) => stored(repository, path));
    const middle = changes.length >> 1;
    const first = await addAll(repository, index, changes.slice(0, middle));
    return [...first, ...(await addAll(repository, index, changes.slice(middle)))];
  }
}

/**
 * That git refuses a file is the file's fault only if the object store can take its bytes. Throws Refusal(4) where it cannot:
 * a full disk must not send every file into quarantine.
 */
function stored(repository: Repository, path: ByteName): ByteName {
  try {
    const bytes = readRegular(`${repository.top}/${path}`);
    if (bytes !== undefined) writeObject(repository, 'blob', bytes);
    return path;
  } catch (error) {
    const why = errorCode(error) ?? String(error);
    const words = `git cannot store ${toShown(path)} (${why}): nothing was changed`;
    throw new Refusal(4, words, `df -h '${repository.facts.commonDir}/objects'; git fsck`);
  }
}

/** Like `.git`, however disguised (git-config(1): core.protectNTFS, core.protectHFS): git leaves such names out and exits with 0. */
const oddName = /(?:^|\/)(?:git~|\.g)|[\\\x80-\xff]/i;

function skipped(
  repository: Repository,
  index: string,
  changes: readonly Change[],
): readonly ByteName[] {
  const wanted = changes.filter(({ status, path }) => status !== 'D' && oddName.test(path));
  if (wanted.length === 0) return [];
  const paths = wanted.map(({ path }) => path);
  const staged = readStaged(repository, index, new Set(paths));
  return paths.filter((path) => !staged.has(path));
}

function without(changes: readonly Change[], paths: readonly ByteName[]): readonly Change[] {
  return paths.length === 0 ? changes : changes.filter(({ path }) => !paths.includes(path));
}
