import { Refusal } from '../ports.ts';
import type { AttemptId } from '../ports.ts';
import type { Anchors } from './anchors.ts';
import { toByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readIndex, useIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { openQuarantine } from './quarantine.ts';
import { loadRecord } from './record.ts';
import type { Repository } from './repository.ts';

/** The attempt that a dead process left; undefined where the record is of another attempt, or none is there. */
export async function reopenAttempt(
  repository: Repository,
  anchors: Anchors,
  attempt: AttemptId,
): Promise<OpenAttempt | undefined> {
  const record = loadRecord(repository.state);
  if (record === undefined) return undefined;
  if (!isSame(record.attempt, attempt)) {
    record.close();
    return undefined;
  }
  return {
    repository,
    anchors,
    record,
    quarantine: openQuarantine(repository, attempt),
    baseIndex: await buildIndex(repository, record.tree),
    isOurs: false,
  };
}

export function isSame(one: AttemptId, other: AttemptId): boolean {
  return one.plan === other.plan && one.task === other.task && one.number === other.number;
}

/** Made anew, at the price of reading every file once: an index file that an agent could reach is not trusted. */
async function buildIndex(repository: Repository, tree: string): Promise<IndexContent> {
  const index = useIndex(repository, undefined, 'other');
  await repository.git.run(['read-tree', tree], { index });
  const content = readIndex(toByteName(index));
  if (content === undefined) throw new Refusal(4, `git wrote no index for ${tree}`, 'git fsck');
  return content;
}
