import { Refusal } from '../ports.ts';
import type { MadeBranch } from '../ports.ts';
import { toByteName } from './byte-name.ts';
import { GitError } from './git.ts';
import { readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import type { Repository } from './located-repository.ts';

/** As Keeper.makeBranch: `…/2` that is taken by other content becomes `…/2-2`. */
export async function makeBranch(
  repository: Repository,
  wanted: string,
  commit: string,
): Promise<MadeBranch> {
  const { refs } = await readRefs(repository);
  for (let count = 1; ; count += 1) {
    const ref = count === 1 ? wanted : `${wanted}-${count}`;
    const stands = refs.get(toByteName(ref));
    if (stands === commit) return { ref, stood: true };
    if (stands !== undefined) continue;
    await create(repository, ref, commit);
    return { ref, stood: false };
  }
}

async function create(repository: Repository, ref: string, commit: string): Promise<void> {
  const change = { kind: 'create', ref: toByteName(ref), to: commit, from: '' } as const;
  try {
    await changeRefs(repository.git, [change], 'restored');
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(3, `cannot make ${ref}: ${error.stderr.trim()}`, 'git branch --list');
  }
}
