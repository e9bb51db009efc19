import { Refusal } from '../ports.ts';
import type { AttemptId } from '../ports.ts';
import type { Anchors } from './anchors.ts';
import { toByteName } from './byte-name.ts';
import { restoreGuarded } from './config-guard.ts';
import { treeOf } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readIndex, useIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { openQuarantine } from './quarantine.ts';
import { loadRecord } from './record.ts';
import type { OpenRecord } from './record.ts';
import { readRefFiles } from './refs.ts';
import { clearStumbling } from './stumbling-refs.ts';
import type { Repository } from './located-repository.ts';
import { standingAfterCrash } from './whose-commits.ts';

/** The attempt that a dead process left; undefined where the record is of another attempt, or none is there. `heldUntil`: see standingAfterCrash. */
export async function reopenAttempt(
  repository: Repository,
  anchors: Anchors,
  attempt: AttemptId,
  heldUntil: number,
): Promise<OpenAttempt | undefined> {
  const record = loadRecord(repository.state);
  if (record === undefined) return undefined;
  if (!isSame(record.attempt, attempt)) {
    record.close();
    return undefined;
  }
  const quarantine = openQuarantine(repository, attempt);
  // Before git is called: it would trip over what an agent has garbled.
  const notices = restoreGuarded({ repository, record, quarantine });
  clearStumbling({ repository, record, quarantine }, readRefFiles(repository));
  const standing = await standAfterCrash(repository, record, heldUntil);
  const baseIndex = await buildIndex(repository, standing.tree);
  return { repository, anchors, record: standing, quarantine, baseIndex, notices };
}

/** Where a person has committed since, that is what the rollback goes to. */
async function standAfterCrash(
  repository: Repository,
  record: OpenRecord,
  heldUntil: number,
): Promise<OpenRecord> {
  const base = standingAfterCrash(repository, record, heldUntil);
  if (base === record.base) return record;
  const tree = await treeOf(repository, base);
  const refs = record.refs.map(([ref, id]) => [ref, ref === record.branch ? base : id] as const);
  return { ...record, base, tree, baseTree: tree, refs };
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
