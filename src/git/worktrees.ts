import { readFileSync, realpathSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isOfDead, sweepFolders } from '../exec/own-folders.ts';
import { makeTemporary } from '../exec/temporary-folder.ts';
import { Refusal } from '../ports.ts';
import type { LinkedTree, Worktrees } from '../ports.ts';
import { isAtOrUnder, toByteName, toPath, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { GitError, openGit } from './git.ts';
import type { Git } from './git.ts';
import { putIndex, readIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { treeDifference } from './read-back.ts';
import { entriesOf } from './raw-files.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { cutShort } from './stopping.ts';

/** The door to linked worktrees of a repository, and to the trees that are laid out in them. */
export function openWorktrees(repository: Repository): Worktrees {
  return {
    add: cutShort(async (head) => {
      sweepWorktrees(repository);
      const folder = realpathSync(makeTemporary(prefix));
      const top = join(folder, basename(repository.facts.top));
      try {
        return openLinked(await addWorktree(repository, top, head), folder);
      } catch (error) {
        rmSync(folder, { recursive: true, force: true });
        throw error instanceof GitError ? notMade(error) : error;
      }
    }),
    sweep: () => sweepWorktrees(repository),
    mix: cutShort((tree, from, isFrom) => mixTrees(repository, { tree, from, isFrom })),
  };
}

/** What git needs for it is room and its own folder; nothing of the user's is touched yet. */
function notMade({ message }: GitError): Refusal {
  const mend = 'df -h . "${TMPDIR:-/tmp}"; git status; then the same command again';
  return new Refusal(4, `no clean worktree can be made: ${message}`, mend);
}

interface LinkedWorktree {
  /** Absolute. */
  readonly top: string;
  /** Absolute; of the worktree alone. */
  readonly gitDir: string;
  readonly git: Git;
}

/** Adds a worktree at a commit, with HEAD detached and, but for `.git`, no file in it yet. The folder must not be there. */
async function addWorktree(
  { git, environment, state }: Repository,
  top: string,
  commit: string,
): Promise<LinkedWorktree> {
  await git.run(['worktree', 'add', '--quiet', '--detach', '--no-checkout', top, commit]);
  const gitDir = /^gitdir: (.*)\n$/s.exec(readFileSync(join(top, '.git'), 'utf8'))?.[1];
  if (gitDir === undefined) throw new Error(`git wrote no link into ${top}`);
  return { top, gitDir, git: openGit({ top, gitDir, state }, environment) };
}

/** Takes a worktree away with whatever is in it, as git-worktree(1) does, but without `prune`: others' registrations stay. */
function removeWorktree({ top, gitDir }: Pick<LinkedWorktree, 'top' | 'gitDir'>): void {
  rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  rmSync(gitDir, { recursive: true, force: true });
  const registry = dirname(gitDir);
  try {
    rmdirSync(registry);
  } catch {
    // Others are registered there.
  }
}

/** Of the name of the folder that holds one of ours. */
const prefix = 'skeleton-clean-';

/** A process that was killed could not take its worktree away. Gives the folders. */
function sweepWorktrees({ facts }: Repository): readonly string[] {
  const registry = join(facts.commonDir, 'worktrees');
  const swept: string[] = [];
  for (const { name } of entriesOf(toByteName(registry)) ?? []) {
    const gitDir = join(registry, toText(name));
    const link = readLink(gitDir);
    const folder = dirname(dirname(link));
    if (!basename(folder).startsWith(prefix) || !isOfDead(folder, prefix)) continue;
    removeWorktree({ top: dirname(link), gitDir });
    rmSync(folder, { recursive: true, force: true });
    swept.push(folder);
  }
  // Killed before git knew of it, or of a repository that is gone.
  return [...swept, ...sweepFolders(tmpdir(), prefix)];
}

function readLink(gitDir: string): string {
  try {
    return readFileSync(join(gitDir, 'gitdir'), 'utf8').trimEnd();
  } catch {
    return '';
  }
}

function openLinked(linked: LinkedWorktree, folder: string): LinkedTree {
  const { top, gitDir, git } = linked;
  // An index of its own says what was laid out; the one that gates see is the commit's, as it is in an attempt.
  const index = join(gitDir, 'skeleton-layout');
  // Kept in memory, where no gate can set flags in it.
  let laid: IndexContent | undefined;
  return {
    top,
    layOut: cutShort(async (tree, head, keep = []) => {
      writeFileSync(join(top, '.git'), `gitdir: ${gitDir}\n`);
      if (laid === undefined) rmSync(index, { force: true });
      else putIndex(toByteName(index), laid);
      for (const path of await othersIn(git, index)) clear(top, path, keep.map(toByteName));
      await git.run(['read-tree', '--reset', '-u', tree], { index, settings: everything });
      laid = readIndex(toByteName(index));
      await git.run(['read-tree', head]);
      await git.run(['update-ref', '--no-deref', 'HEAD', head]);
    }),
    changed: cutShort(async () => {
      await git.ask(['update-index', '-q', '--refresh'], { index, answers: [1] });
      const out = await git.run(['diff-files', '--name-only', '-z', '--ignore-submodules'], {
        index,
      });
      return namesIn(out).map(toShown);
    }),
    extras: async () => (await othersIn(git, index)).map(toText),
    remove: () => {
      removeWorktree(linked);
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

/** Gates judge all of a tree, also where the user's own work tree is a sparse one. */
const everything = ['core.sparseCheckout=false'];

async function othersIn(git: Git, index: string): Promise<readonly ByteName[]> {
  return namesIn(await git.run(['ls-files', '--others', '--directory', '-z'], { index })).map(
    (path) => path.replace(/\/$/, ''),
  );
}

function namesIn(out: Buffer): readonly ByteName[] {
  return out
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
}

function clear(top: string, path: ByteName, keep: readonly ByteName[]): void {
  if (keep.some((kept) => isAtOrUnder(path, kept))) return;
  rmSync(toPath(`${toByteName(top)}/${path}`), { recursive: true, force: true });
}

interface Mixing {
  readonly tree: string;
  readonly from: string;
  readonly isFrom: (path: string) => boolean;
}

async function mixTrees(repository: Repository, { tree, from, isFrom }: Mixing): Promise<string> {
  const { git, state } = repository;
  const differing = await treeDifference(repository, tree, from);
  const wanted = [...differing.keys()].filter((path) => isFrom(toText(path)));
  if (wanted.length === 0) return tree;
  makeStateFolder(repository);
  const index = toText(`${state}/mixed`);
  rmSync(index, { force: true });
  try {
    await git.run(['read-tree', tree], { index });
    const input = Buffer.from(await linesFor(repository, from, wanted), 'latin1');
    await git.run(['update-index', '-z', '--index-info'], { index, input });
    return (await git.run(['write-tree'], { index })).toString().trim();
  } finally {
    rmSync(index, { force: true });
  }
}

/** For `update-index --index-info`: mode 0 takes a path out. Deletions first, since a file may stand where a folder was. */
async function linesFor(
  { git, objectFormat }: Repository,
  from: string,
  wanted: readonly ByteName[],
): Promise<string> {
  const listed = new Map(
    namesIn(await git.run(['ls-tree', '-r', '-z', '--full-tree', from])).map((line) => [
      line.slice(line.indexOf('\t') + 1),
      line,
    ]),
  );
  const nothing = '0'.repeat(objectFormat === 'sha256' ? 64 : 40);
  const gone = wanted.map((path) => `0 ${nothing}\t${path}\0`);
  const back = wanted.flatMap((path) => listed.get(path) ?? []).map((line) => `${line}\0`);
  return [...gone, ...back].join('');
}
