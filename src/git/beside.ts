import { basename, dirname, join } from 'node:path';
import { Refusal } from '../ports.ts';
import type { Beside } from '../ports.ts';
import { shortRef } from '../core/refs.ts';
import { toByteName, toText } from './byte-name.ts';
import { GitError } from './git.ts';
import { clearNotedLocks, clearOwnLocks } from './own-locks.ts';
import { useIndex } from './private-index.ts';
import { statOf } from './raw-files.ts';
import { resolveCommit } from './reads.ts';
import { readRefs } from './read-refs.ts';
import { loadRecord, recordedTop } from './record.ts';
import { makeStateFolder, openLocated, stateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { openRepository } from './repository.ts';
import { giveToUser } from './user-index.ts';

/**
 * The linked worktree of isolated runs of a plan: `REPOSITORY.skeleton-PLAN` beside the repository, never inside it, where an
 * agent would climb into it. One that stands on that branch already is used again, wherever it is; else it is made, with the
 * branch at HEAD if there is none. Throws Refusal(3) where something is in the way.
 */
export async function openBeside(
  repository: Repository,
  plan: string,
  branch: string,
): Promise<Beside> {
  const notices = await clearNotedLocks(repository);
  return { folder: await findOrMake(repository, plan, branch), notices };
}

async function findOrMake(repository: Repository, plan: string, branch: string): Promise<string> {
  const { facts } = repository;
  const listed = await listWorktrees(repository);
  const found =
    listed.find((one) => one.branch === branch) ??
    (await leftElsewhere(repository, listed, branch));
  if (found?.folder === facts.top)
    throw new Refusal(
      3,
      `this work tree is on ${shortRef(branch)} itself, so an isolated run has no place for it`,
      'git switch to another branch here, or run without --isolate',
    );
  if (found !== undefined && statOf(toByteName(found.folder)) !== undefined) {
    await layOutFiles(found.folder, repository.environment);
    return found.folder;
  }
  const folder = found?.folder ?? besideOf(facts.top, plan);
  if (statOf(toByteName(folder)) !== undefined)
    throw inTheWay(
      folder,
      listed.find((one) => one.folder === folder),
    );
  await add(repository, folder, branch);
  await layOutFiles(folder, repository.environment);
  return folder;
}

function inTheWay(folder: string, own: Listed | undefined): Refusal {
  if (own?.branch === undefined)
    return new Refusal(
      3,
      `${folder} is in the way of the worktree for isolated runs`,
      `mv it aside`,
    );
  return new Refusal(
    3,
    `${folder} is the worktree of runs on ${shortRef(own.branch)}`,
    `run with --branch ${shortRef(own.branch)}, or git worktree remove '${folder}' (its branch stays)`,
  );
}

/** The one whose attempt began on the branch and died: its agent had switched HEAD, and recovery puts that back. */
async function leftElsewhere(
  repository: Repository,
  listed: readonly Listed[],
  branch: string,
): Promise<Listed | undefined> {
  const { refs } = await readRefs(repository);
  for (const one of listed.filter(({ folder }) => folder !== repository.facts.top)) {
    if (statOf(toByteName(`${one.folder}/.git`)) === undefined) continue;
    const { id, state } = await openLocated(one.folder, repository.environment);
    const record = refs.has(toByteName(`refs/skeleton/anchor/${id}`))
      ? loadRecord(state)
      : undefined;
    record?.close();
    if (record?.branch === toByteName(branch)) return one;
  }
  return undefined;
}

export function besideOf(top: string, plan: string): string {
  return join(dirname(top), `${basename(top)}.skeleton-${plan}`);
}

interface Listed {
  readonly folder: string;
  readonly branch: string | undefined;
}

/** git-worktree(1), "Porcelain Format". */
async function listWorktrees({ git }: Repository): Promise<readonly Listed[]> {
  const out = (await git.run(['worktree', 'list', '--porcelain'])).toString();
  return out.split('\n\n').flatMap((part) => {
    const lines = part.split('\n');
    const after = (word: string): string | undefined =>
      lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
    const folder = after('worktree');
    return folder === undefined ? [] : [{ folder, branch: after('branch') }];
  });
}

/** The folder of a work tree of this repository by its id; undefined where it is gone, or is another's now. */
export async function folderOfWorktree(
  repository: Repository,
  id: string,
): Promise<string | undefined> {
  const listed = await listWorktrees(repository);
  const main = stateFolder({ gitDir: repository.commonDir, commonDir: repository.commonDir });
  // Where its git directory lies elsewhere, git lists that one as the main work tree.
  const top = main.id === id ? recordedTop(main.state) : undefined;
  if (main.id === id) return top === undefined ? listed[0]?.folder : toText(top);
  for (const { folder } of listed) {
    if (statOf(toByteName(`${folder}/.git`)) === undefined) continue;
    const found = await openLocated(folder, repository.environment);
    if (found.id === id) return folder;
  }
  return undefined;
}

async function add(repository: Repository, folder: string, branch: string): Promise<void> {
  const stands = await resolveCommit(repository, branch);
  const name = shortRef(branch);
  // `--force` only lets a folder be made anew that somebody deleted by hand (git-worktree(1)).
  const options = ['--force', '--no-checkout'];
  const args =
    stands === undefined
      ? ['worktree', 'add', ...options, '--no-track', '-b', name, folder, 'HEAD']
      : ['worktree', 'add', ...options, folder, name];
  try {
    await repository.git.run(args);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const why = error.stderr.trim().split('\n').at(-1) ?? '';
    const mend = 'git worktree list; git branch --list';
    throw new Refusal(3, `no worktree for isolated runs can be made at ${folder}: ${why}`, mend);
  }
}

/** Its files, unless it has an index: then it was laid out before, and what lies there now is not ours to change. */
async function layOutFiles(folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const linked = await openRepository(folder, environment);
  if (statOf(`${linked.gitDir}/index`) !== undefined) return;
  makeStateFolder(linked);
  await clearOwnLocks(linked);
  const index = useIndex(linked, undefined);
  try {
    await linked.git.run(['read-tree', '-m', '-u', 'HEAD'], { index });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const words = `the worktree ${folder} was only half made, and holds files: ${error.stderr.trim()}`;
    throw new Refusal(3, words, `look into it, then: git worktree remove --force '${folder}'`);
  }
  await giveToUser(linked, index, { skip: [], assume: [] });
}
