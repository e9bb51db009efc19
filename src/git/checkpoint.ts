import { rmSync } from 'node:fs';
import { Refusal } from '../ports.ts';
import type { AttemptId, Checkpoint } from '../ports.ts';
import { toByteName, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { syncFiles } from './objects.ts';
import { statOf } from './raw-files.ts';
import { readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import type { RefChange } from './ref-changes.ts';
import type { Repository } from './located-repository.ts';

/**
 * Branch, tag and proof in one transaction. What stands already is left, so that it finishes what a crash cut off: git's files
 * backend is not atomic over two refs. Gives where the branch stands then. Throws Refusal(4), with both commits, where the branch or a tag is elsewhere.
 */
export async function moveRefs(
  repository: Repository,
  attempt: AttemptId,
  checkpoint: Checkpoint,
): Promise<string> {
  const { branch } = repository.facts;
  if (branch === undefined)
    throw new Refusal(4, 'HEAD is detached: no branch to move', 'git status');
  const { refs } = await readRefs(repository);
  const name = toByteName(branch);
  const { commit, base, tag, proof, proofObject } = checkpoint;
  const wanted = [
    [toByteName(tag), commit],
    [toByteName(proof), proofObject],
  ] as const;
  const changes = wanted.flatMap(([ref, to]) => creation(ref, refs.get(ref) ?? '', to));
  const stands = refs.get(name) ?? '';
  const isToMove = stands === base || isBroken(repository, name);
  if (isToMove) changes.unshift({ kind: 'update', ref: name, to: commit, from: stands });
  else if (!(await contains(repository, stands, commit))) throw moved(branch, stands, commit);
  for (const { ref } of changes) removeBroken(repository, ref);
  await changeRefs(repository.git, changes, `checkpoint ${attempt.id}#${attempt.number}`);
  const files = [name, ...wanted.map(([ref]) => ref)];
  await syncFiles(files.map((ref) => `${repository.commonDir}/${ref}`));
  return isToMove ? commit : stands;
}

function creation(ref: ByteName, stands: string, to: string): RefChange[] {
  if (stands === to) return [];
  if (stands === '') return [{ kind: 'create', ref, to, from: '' }];
  throw moved(ref, stands, to);
}

function moved(ref: string, stands: string, wanted: string): Refusal {
  return new Refusal(
    4,
    `${ref} is at ${stands === '' ? 'nothing' : stands}, not where the checkpoint ${wanted} would go; it is left alone`,
    `git log --oneline ${stands === '' ? '' : stands} ${wanted}`,
  );
}

/** Whether `stands` holds a commit: a person may have committed on top before the tag was made. */
export async function contains(
  repository: Repository,
  stands: string,
  commit: string,
): Promise<boolean> {
  if (stands === commit) return true;
  if (stands === '') return false;
  const args = ['merge-base', '--is-ancestor', commit, stands];
  return (await repository.git.ask(args, { answers: [1, 128] })).code === 0;
}

/** A power cut may leave a ref's file empty. */
function isBroken({ commonDir }: Repository, ref: ByteName): boolean {
  return statOf(`${commonDir}/${ref}`)?.size === 0;
}

function removeBroken(repository: Repository, ref: ByteName): void {
  if (isBroken(repository, ref)) rmSync(toPath(`${repository.commonDir}/${ref}`));
}
