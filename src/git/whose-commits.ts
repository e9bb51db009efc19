import { reflogMark } from '../core/refs.ts';
import type { ByteName } from './byte-name.ts';
import { readRegular } from './raw-files.ts';
import type { AttemptRecord } from './record.ts';
import { parseReflog } from './reflog.ts';
import { resolveRef } from './refs.ts';
import type { Repository } from './located-repository.ts';

export function branchLog({ commonDir }: Repository, branch: ByteName): ByteName {
  return `${commonDir}/logs/${branch}`;
}

/**
 * Where a branch has to be after an attempt whose process died. Commits made since are the attempt's if the reflog says so, or
 * says nothing of them (`update-ref`), or if the attempt held the work tree when they were made: until `heldUntil`
 * (milliseconds since 1970). The newest that is somebody else's stays on the branch, with all before it: a person's commits are
 * never dropped (architecture.md, "Order of writes, and what a crash leaves").
 */
export function standingAfterCrash(
  repository: Repository,
  record: Pick<AttemptRecord, 'branch' | 'base' | 'branchLogSize' | 'began'>,
  heldUntil: number,
): string {
  const { branch, base, branchLogSize, began } = record;
  const now = resolveRef(repository, branch);
  if (now === base || now === '') return base;
  const bytes = readRegular(branchLog(repository, branch))?.subarray(branchLogSize);
  const entries = parseReflog(bytes?.toString('latin1') ?? '');
  const theirs = entries.findLast(
    (entry) => !isOurs(entry.message) && !isWithin(entry.at, began, heldUntil),
  );
  return theirs?.to ?? base;
}

/** A reflog's time is cut to whole seconds: one that may be later does not count. */
function isWithin(at: number, began: number, heldUntil: number): boolean {
  return at + 1000 > began && at + 1000 <= heldUntil;
}

export function isOurs(message: ByteName): boolean {
  return message.startsWith(reflogMark) || message.startsWith('skeleton: ');
}
