import { Refusal } from '../ports.ts';
import type { CommitMessage } from '../ports.ts';
import { isAtOrUnder, toByteName, toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { writeCommit } from './commit-object.ts';
import { GitError } from './git.ts';
import type { Identity } from './identity.ts';
import { makeDurable, treeOf } from './objects.ts';
import { statOf } from './raw-files.ts';
import { treeDifference } from './read-back.ts';
import { readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { pathsBelow } from './things.ts';
import { trackedPaths } from './tracked-paths.ts';
import { readIndex } from './private-index.ts';
import { copyUserIndex, giveToUser } from './user-index.ts';
import { specialKind } from './walk.ts';

/**
 * The tree of HEAD with just these paths as they lie on disk, ignored files left out. A folder's path ends in `/`. Neither a
 * ref nor the user's index changes. Throws Refusal(3) where git cannot take a path.
 */
export async function treeWithPaths(
  repository: Repository,
  paths: readonly string[],
): Promise<string> {
  const { git } = repository;
  makeStateFolder(repository);
  const { index } = await copyUserIndex(repository, 'other');
  await git.run(['read-tree', '-i', '-m', 'HEAD'], { index });
  const names = paths.map((path) => toByteName(path.replace(/\/+$/, '')));
  const tracked = trackedPaths(readIndex(toByteName(index))?.bytes ?? Buffer.alloc(0), repository);
  const known = names.filter((name) => isThere(repository, name, tracked));
  refuseSpecials(repository, known);
  if (known.length > 0) await add(repository, index, known);
  return (await git.run(['write-tree'], { index })).toString().trim();
}

function isThere({ top }: Repository, name: ByteName, tracked: ReadonlySet<ByteName>): boolean {
  if (statOf(`${top}/${name}`) !== undefined) return true;
  return [...tracked].some((path) => isAtOrUnder(path, name));
}

/** Git would wait for ever at a FIFO. */
function refuseSpecials({ top }: Repository, names: readonly ByteName[]): void {
  const special = names
    .flatMap((name) => pathsBelow(`${top}/${name}`))
    .find((path) => {
      const stat = statOf(path);
      return stat !== undefined && specialKind(stat) !== undefined;
    });
  if (special === undefined) return;
  throw new Refusal(
    3,
    `${toShown(special)} is a special file: git cannot hold it`,
    'mv it elsewhere',
  );
}

async function add({ git }: Repository, index: string, names: readonly ByteName[]): Promise<void> {
  const input = toPath(names.map((name) => `${name}\0`).join(''));
  const from = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  try {
    await git.run(['--literal-pathspecs', 'add', '-A', ...from], { index, input });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(
      3,
      `git cannot take ${names.map(toShown).join(', ')}: ${error.stderr.trim()}`,
    );
  }
}

export interface StartCommit {
  readonly tree: string;
  readonly message: CommitMessage;
  readonly identity: Identity;
}

/**
 * Commits a tree on HEAD and moves the branch to it; the user's index follows. Gives the new HEAD. Where HEAD has that tree
 * already, only the index follows: a run died between the two.
 */
export async function commitOnHead(
  repository: Repository,
  { tree, message, identity }: StartCommit,
): Promise<string> {
  const branch = toByteName(repository.facts.branch ?? '');
  const { head, refs } = await readRefs(repository);
  const from = refs.get(branch) ?? '';
  if (head !== `ref: ${branch}` || from === '')
    throw new Refusal(4, `HEAD is no longer at ${toShown(branch)}`, 'git status; then run again');
  const before = await treeOf(repository, from);
  if (before === tree) {
    await followInIndex(repository, before, tree);
    return from;
  }
  const commit = writeCommit(repository, identity, { tree, parents: [from], message });
  await makeDurable(repository, [commit, tree], Date.now() - recent);
  await changeRefs(repository.git, [{ kind: 'update', ref: branch, to: commit, from }], 'start');
  await followInIndex(repository, before, tree);
  return commit;
}

/** Milliseconds: objects of the tree were written just before. */
const recent = 600_000;

async function followInIndex(repository: Repository, from: string, to: string): Promise<void> {
  const changed = [...(await treeDifference(repository, from, to)).keys()];
  const { index, flags } = await copyUserIndex(repository, 'other');
  const input = toPath(changed.map((path) => `${path}\0`).join(''));
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  await repository.git.run(args, { index, input });
  // What was staged for removal, though HEAD and disk have it, is no change of the commit.
  await repository.git.run(['read-tree', '-i', '-m', to], { index });
  await giveToUser(repository, index, flags);
}
