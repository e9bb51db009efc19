import { rmSync } from 'node:fs';
import type { Snapshot } from '../core/events.ts';
import { attemptRef } from '../core/refs.ts';
import { snapshotTrailers } from '../core/snapshot-words.ts';
import type { AttemptId } from '../ports.ts';
import { toByteName, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { writeCommit } from './commit-object.ts';
import { GitError } from './git.ts';
import type { Identity } from './identity.ts';
import { makeDurable, syncFiles } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { sha256 } from './plan-file.ts';
import { readIndex, useIndex } from './private-index.ts';
import { writeWhole } from './raw-files.ts';
import { readBack, treeDifference } from './read-back.ts';
import { changeRefs } from './ref-changes.ts';
import { resolveRef } from './refs.ts';
import { keptCommit, keptPath } from './kept-commit.ts';
import type { Repository } from './located-repository.ts';
import type { Change } from './survey.ts';

export interface Left {
  /** Tree of what lies in the work tree. */
  readonly tree: string;
  readonly changes: readonly Change[];
  /** Commits the agent made. */
  readonly agentCommits: readonly string[];
}

/**
 * Keeps what an attempt left as a commit under `refs/skeleton/attempts/PLAN/TASK/N`, read back and flushed to the disk before
 * the ref is made. Its parents: where the attempt began, the agent's own commits, what it had staged. A second snapshot of the
 * same attempt adds to the first and replaces nothing: after a crash half of it may be gone from the work tree.
 */
export async function takeSnapshot(
  attempt: OpenAttempt,
  left: Left,
  identity: Identity,
): Promise<Snapshot> {
  const { repository, record, quarantine } = attempt;
  for (const path of await readBack(attempt, left.tree, left.changes))
    quarantine.keepCopy(`${repository.top}/${path}`, 'raw', path);
  const ref = snapshotRef(attempt);
  const earlier = keptCommit(repository);
  const before = earlier === resolveRef(repository, toByteName(ref)) ? earlier : '';
  const tree = before === '' ? left.tree : await addTo(attempt, before, left.tree);
  if (tree === undefined) return { ref, commit: before };
  const staged = await keepStaged(attempt, left.tree, identity);
  const parents = [record.base, ...left.agentCommits, ...staged.commits, before];
  const commit = writeCommit(repository, identity, {
    tree,
    parents: parents.filter((parent) => parent !== ''),
    message: snapshotMessage(attempt),
  });
  const objects = [commit, tree, ...staged.commits, ...staged.trees];
  await makeDurable(repository, objects, record.began);
  attempt.anchors.know(commit);
  await point(repository, { ref: toByteName(ref), before, commit });
  return { ref, commit };
}

export function snapshotRefOf({ plan, task, number }: AttemptId): string {
  return attemptRef(plan, task, number);
}

export function snapshotRef({ record }: OpenAttempt): string {
  return snapshotRefOf(record.attempt);
}

function snapshotMessage({
  record,
  ended,
}: OpenAttempt): Parameters<typeof writeCommit>[2]['message'] {
  const { id, number, facts } = record.attempt;
  return {
    subject: `skeleton: attempt ${id}#${number}`,
    body: 'What the attempt left when it was rolled back.',
    trailers: snapshotTrailers(id, facts, ended),
  };
}

/** A person's attempt that passed: its snapshot, taken before the gates ran, has done its work. */
export async function dropSnapshot({ repository, record }: OpenAttempt): Promise<void> {
  const ref = toByteName(snapshotRefOf(record.attempt));
  const from = resolveRef(repository, ref);
  if (from === '' || from !== keptCommit(repository)) return;
  await changeRefs(repository.git, [{ kind: 'delete', ref, from }], 'attempt passed');
}

/** A new attempt begins: the last one's snapshot is only a ref now. */
export function forgetKept(repository: Repository): void {
  rmSync(toPath(keptPath(repository)), { force: true });
}

interface Pointing {
  readonly ref: ByteName;
  readonly before: string;
  readonly commit: string;
}

async function point(repository: Repository, { ref, before, commit }: Pointing): Promise<void> {
  writeWhole(keptPath(repository), Buffer.from(commit), 0o600);
  const kind = before === '' ? 'create' : 'update';
  await changeRefs(repository.git, [{ kind, ref, to: commit, from: before }], 'attempt kept');
  await syncFiles([`${repository.commonDir}/${ref}`]);
}

/** The tree of an earlier snapshot with what is there now and not yet in it; undefined where that is nothing. */
async function addTo(
  { repository, record }: OpenAttempt,
  before: string,
  tree: string,
): Promise<string | undefined> {
  const { git } = repository;
  const unlike = await treeDifference(repository, before, tree);
  const changed = await treeDifference(repository, record.tree, tree);
  const fresh = new Set([...unlike.keys()].filter((path) => changed.get(path) !== undefined));
  if (fresh.size === 0) return undefined;
  const index = useIndex(repository, undefined, 'other');
  await git.run(['read-tree', before], { index });
  const lines = (await git.run(['ls-tree', '-r', '-z', tree])).toString('latin1').split('\0');
  const wanted = lines.filter((line) => fresh.has(line.slice(line.indexOf('\t') + 1)));
  const input = Buffer.from(wanted.map((line) => `${line}\0`).join(''), 'latin1');
  await git.run(['update-index', '-z', '--replace', '--index-info'], { index, input });
  return (await git.run(['write-tree'], { index })).toString().trim();
}

interface Staged {
  readonly commits: readonly string[];
  readonly trees: readonly string[];
}

const nothing: Staged = { commits: [], trees: [] };

/** The user's index as the agent left it, if it says anything that the work tree does not. */
async function keepStaged(
  { repository, record, quarantine }: OpenAttempt,
  tree: string,
  identity: Identity,
): Promise<Staged> {
  const path = `${repository.gitDir}/index`;
  const content = readIndex(path);
  if (content === undefined || sha256(content.bytes) === record.userIndex) return nothing;
  const index = useIndex(repository, content, 'other');
  try {
    const staged = (await repository.git.run(['write-tree'], { index })).toString().trim();
    if (staged === tree || staged === record.tree) return nothing;
    const message = { subject: 'skeleton: index of the attempt', body: '', trailers: [] };
    const parents = [record.base];
    const commit = writeCommit(repository, identity, { tree: staged, parents, message });
    return { commits: [commit], trees: [staged] };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // Conflicts, or no index at all: no tree says that.
    quarantine.keepCopy(path, 'git', 'index');
    return nothing;
  }
}
