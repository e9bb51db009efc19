import type { ByteName } from './byte-name.ts';
import type { Repository } from './located-repository.ts';
import { readRegular } from './raw-files.ts';

/** Our own note of the snapshot: a ref of its name that the agent made is none of ours. */
export function keptPath({ state }: Repository): ByteName {
  return `${state}/attempt.kept`;
}

/** The snapshot of the attempt under way; '' while there is none. */
export function keptCommit(repository: Repository): string {
  return readRegular(keptPath(repository))?.toString('latin1') ?? '';
}
