import { agentRefPrefix, isInTheWay, slotBranch } from '../core/refs.ts';
import { toByteName, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { isAlone, owe } from './company.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { otherWorktrees } from './read-refs.ts';
import { refsWrittenSince, writtenSince } from './ref-changes.ts';
import { isWrittenElsewhere, planOfOwn } from './refs-elsewhere.ts';
import type { RefReading } from './refs.ts';
import { keptCommit } from './kept-commit.ts';
import { snapshotRef } from './snapshot.ts';

/** A ref that the attempt changed; undefined where it did not stand. */
export interface Moved {
  readonly ref: ByteName;
  readonly now: string | undefined;
  readonly then: string | undefined;
}

/**
 * Refs that are not as they were when the attempt began, but for those that we have written since, and those that others may
 * write. `isLast`: no other attempt is under way beside it; else common refs are left to the one that ends last.
 */
export function movedRefs(
  attempt: OpenAttempt,
  reading: RefReading,
  isLast: boolean = isAlone(attempt.repository),
): readonly Moved[] {
  const { record, repository, since } = attempt;
  const { plan } = record.attempt;
  const isExempt = anyOf(
    ownRefs(attempt, reading),
    isWrittenElsewhere(repository, { plan, branch: record.branch }),
    ofDeadCompany(attempt),
    (ref) => isInTheWay(toText(ref), plan),
  );
  const then = new Map(record.refs);
  const ours = (ref: ByteName): ReturnType<typeof writtenSince> =>
    since === undefined ? undefined : writtenSince(repository.git.store, ref, since);
  const standing = (ref: ByteName): string | undefined => {
    const written = ours(ref);
    return written === undefined ? then.get(ref) : written.to;
  };
  const made = since === undefined ? [] : refsWrittenSince(repository.git.store, since);
  const moved = [...new Set([...then.keys(), ...reading.refs.keys(), ...made])]
    .map((ref) => ({ ref, now: reading.refs.get(ref), then: standing(ref) }))
    .filter(({ ref, now, then: was }) => now !== was && !isExempt(ref))
    .filter(({ ref }) => ours(ref)?.isUnsure !== true);
  if (isLast) return moved;
  // Whoever did that to a common ref may still be at work.
  const mine = moved.filter(
    ({ ref }) => ref === record.branch || planOfOwn(ref) === toByteName(plan),
  );
  if (mine.length < moved.length) owe(repository);
  return mine;
}

function anyOf(...all: readonly ((ref: ByteName) => boolean)[]): (ref: ByteName) => boolean {
  return (ref) => all.some((one) => one(ref));
}

/** Refs that our own calls for this attempt write; a snapshot only if it is the one that we took. */
function ownRefs(attempt: OpenAttempt, { refs }: RefReading): (ref: ByteName) => boolean {
  const { plan, task, number } = attempt.record.attempt;
  const kept = toByteName(agentRefPrefix(plan, task, number));
  const snapshot = toByteName(snapshotRef(attempt));
  const isOurs = refs.get(snapshot) === keptCommit(attempt.repository);
  return (ref) =>
    (ref === snapshot && isOurs) || ref.startsWith(kept) || ref.startsWith('refs/skeleton/anchor/');
}

/**
 * Refs of the plan in whose slots a dead run was at work: which of them it wrote itself is in no process any more, so none is
 * undone but the attempt's own.
 */
function ofDeadCompany({ record, repository, since }: OpenAttempt): (ref: ByteName) => boolean {
  const slots = toByteName(slotBranch(record.attempt.plan, 0)).slice(0, -1);
  const heads = [`ref: ${record.branch}`, ...otherWorktrees(repository)];
  if (since !== undefined || !heads.some((head) => head.startsWith(`ref: ${slots}`)))
    return () => false;
  const plan = toByteName(record.attempt.plan);
  const own = `/${toByteName(record.attempt.task)}/`;
  return (ref) => planOfOwn(ref) === plan && !ref.includes(own);
}
