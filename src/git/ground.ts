import { Refusal } from '../ports.ts';
import { toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Flags } from './flags.ts';
import { treeOf } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { sha256 } from './plan-file.ts';
import { readIndex, useIndex } from './private-index.ts';
import type { Repository } from './located-repository.ts';
import { stageChanges } from './stage.ts';
import { isIgnored, isUntracked, readStatus } from './status.ts';
import type { StatusLine } from './status.ts';
import { copyUserIndex } from './user-index.ts';

/** What lies in the work tree where an attempt begins. */
export interface Ground {
  readonly index: string;
  readonly lines: readonly StatusLine[];
  /** What lies in the work tree, and the base's; they differ before the run's start is committed. */
  readonly tree: string;
  readonly baseTree: string;
  readonly flags: Flags;
  readonly userIndex: string;
  readonly baseIndex: OpenAttempt['baseIndex'];
}

interface Standing {
  /** What lies in the work tree where that is not the base's tree. */
  readonly startTree: string | undefined;
  readonly isTaken?: boolean;
}

/** The index that matches what lies in the work tree; the one scan of the beginning. */
export async function lookAtGround(
  repository: Repository,
  base: string,
  { startTree, isTaken = false }: Standing,
): Promise<Ground> {
  const { git } = repository;
  const { index, flags, bytes } = await copyUserIndex(repository, 'index');
  // What a person staged is part of their attempt; the index of the attempt's beginning knows nothing of it.
  if (isTaken) await git.run(['read-tree', '--reset', base], { index });
  const lines = await readStatus(git, index);
  const baseTree = await treeOf(repository, base);
  const dirt = lines.filter((line) => !isIgnored(line) && line.submodule === undefined);
  if (isTaken) {
    // It is the attempt.
  } else if (startTree === undefined || (startTree === baseTree && dirt.length === 0))
    refuseDirt(dirt.map(({ path }) => path));
  else await stageStart(repository, { index, dirt, startTree });
  const baseIndex = readIndex(toByteName(index));
  if (baseIndex === undefined) throw new Error(`our index ${index} is gone`);
  const tree = startTree ?? baseTree;
  return { index, lines, tree, baseTree, flags, baseIndex, userIndex: sha256(bytes) };
}

/** The same where nothing is known of how it should be: the base's tree, with an index made anew. */
export async function assumeGround(repository: Repository, base: string): Promise<Ground> {
  const { git } = repository;
  const tree = await treeOf(repository, base);
  const index = useIndex(repository, undefined);
  await git.run(['read-tree', tree], { index });
  const lines = await readStatus(git, index);
  const baseIndex = readIndex(toByteName(index));
  if (baseIndex === undefined) throw new Error(`our index ${index} is gone`);
  const flags = { skip: [], assume: [] };
  return { index, lines, tree, baseTree: tree, flags, baseIndex, userIndex: '' };
}

function refuseDirt(paths: readonly ByteName[]): void {
  if (paths.length === 0) return;
  const names = [...new Set(paths)].slice(0, 5).map(toShown).join(', ');
  throw new Refusal(
    4,
    `the work tree changed outside of an attempt: ${names}${paths.length > 5 ? ', …' : ''}`,
    'git status; commit it, or set it aside, and run again',
  );
}

interface Start {
  readonly index: string;
  readonly dirt: readonly StatusLine[];
  readonly startTree: string;
}

async function stageStart(
  repository: Repository,
  { index, dirt, startTree }: Start,
): Promise<void> {
  const changes = dirt.map((line) => ({
    path: line.path,
    status: isUntracked(line)
      ? ('A' as const)
      : line.code[1] === 'D'
        ? ('D' as const)
        : ('M' as const),
  }));
  await stageChanges(repository, index, changes);
  const tree = (await repository.git.run(['write-tree'], { index })).toString().trim();
  if (tree !== startTree) refuseDirt(changes.map(({ path }) => path));
}
