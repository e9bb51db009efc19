import { mkdirSync, writeFileSync } from 'node:fs';
import { agentRefPrefix, isInTheWay } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import { toByteName, toPath, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { isAlone, isOwed, leaveCompany } from './company.ts';
import { GitError } from './git.ts';
import { movedRefs, type Moved } from './moved-refs.ts';
import { missingObjects, writeObject } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readRefs } from './read-refs.ts';
import { readRegular } from './raw-files.ts';
import { changeInTurn, changeRefs, inTurn } from './ref-changes.ts';
import type { RefChange } from './ref-changes.ts';
import { reflogTips } from './reflog.ts';
import type { RefReading } from './refs.ts';
import { freeRef, moveRefsOutOfTheWay } from './refs-in-the-way.ts';
import { keptCommit } from './kept-commit.ts';
import { snapshotRef } from './snapshot.ts';
import { clearLogs, clearStumbling } from './stumbling-refs.ts';

/** What an attempt did to the refs. Nothing of it is lost: it is kept before anything is put back. */
export interface RefsGuard {
  /** Commits the agent made or stood at. */
  readonly agentCommits: readonly string[];
  /** HEAD, branches, tags and stash back where they were; gives what it did, in words. Throws Refusal(4) where an object is gone. */
  readonly putBack: () => Promise<readonly string[]>;
  /** Where the agent's HEAD stood, if that is no longer where the attempt began. */
  readonly agentHead: string | undefined;
}

function headIn({ head, refs }: RefReading, base: string): string | undefined {
  const id = head.startsWith('ref: ') ? refs.get(head.slice(5)) : head;
  return isId(id) && id !== base ? id : undefined;
}

/**
 * Compares HEAD and all refs with the record, and keeps what the agent had put there under `refs/skeleton/agent/PLAN/TASK/N/`,
 * commits that only HEAD's reflog knows included. What git would stumble over goes to quarantine at once.
 */
export async function guardRefs(attempt: OpenAttempt): Promise<RefsGuard> {
  const { record } = attempt;
  clearStumbling(attempt, await readStill(attempt));
  const notices = await moveRefsOutOfTheWay(attempt.repository, record.attempt);
  const reading = await clearDangling(attempt, await readStill(attempt));
  const moved = movedRefs(attempt, reading);
  const isHeadMoved = reading.head !== `ref: ${record.branch}`;
  const kept = await keepAgentRefs(attempt, { reading, moved, isHeadMoved });
  await removeForged(attempt, reading);
  const ours = snapshotRef(attempt);
  const toPutBack = moved.filter(({ ref }) => toText(ref) !== ours);
  return {
    agentCommits: kept.commits,
    agentHead: headIn(reading, record.base),
    putBack: async () => {
      if (isHeadMoved) await restoreHead(attempt);
      await putRefsBack(attempt, toPutBack);
      restoreStashLog(attempt);
      if (moved.length === 0 && !isHeadMoved) return notices;
      return [...notices, tell(attempt, { moved, isHeadMoved, isKept: kept.isAny })];
    },
  };
}

/** A ref at an object that is not there stops git; there is nothing of it to keep. */
async function clearDangling(attempt: OpenAttempt, reading: RefReading): Promise<RefReading> {
  const { repository } = attempt;
  const moved = movedRefs(attempt, reading);
  const ids = [reading.head, ...moved.map(({ now }) => now)].filter(isId);
  const gone = await missingObjects(repository, ids);
  if (gone.size === 0) return reading;
  const isGone = (value: string | undefined): boolean => value !== undefined && gone.has(value);
  const refs = new Map(reading.refs);
  for (const { ref, now } of moved) if (isGone(now)) refs.set(ref, '');
  clearStumbling(attempt, { refs, head: isGone(reading.head) ? '' : reading.head, odd: [] });
  return readStill(attempt);
}

/** While we change none, for this work tree or another. */
async function readStill({ repository }: OpenAttempt): Promise<RefReading> {
  return inTurn(repository.git.store, () => readRefs(repository));
}

/** What agents beside this one did to common refs, and left to the last that is under way; gives what it did, in words. */
export async function putOwedBack(attempt: OpenAttempt): Promise<readonly string[]> {
  if (!leaveCompany(attempt.repository)) return [];
  return (await guardRefs(attempt)).putBack();
}

/** Where our snapshot will go nothing else may stand. */
async function removeForged(attempt: OpenAttempt, { refs }: RefReading): Promise<void> {
  const ref = toByteName(snapshotRef(attempt));
  const from = refs.get(ref) ?? '';
  if (from === '' || from === keptCommit(attempt.repository)) return;
  await changeRefs(attempt.repository.git, [{ kind: 'delete', ref, from }], 'forged');
}

/** Refs that are not as they were, HEAD included; for people. */
export async function refsStillMoved(attempt: OpenAttempt): Promise<readonly string[]> {
  const reading = await readStill(attempt);
  // What was left to the last that is under way is put back once this attempt is over, should it be that.
  const isLast = isAlone(attempt.repository) && !isOwed(attempt.repository);
  const moved = movedRefs(attempt, reading, isLast).map(({ ref }) => toShown(ref));
  return reading.head === `ref: ${attempt.record.branch}` ? moved : ['HEAD', ...moved];
}

interface Seen {
  readonly reading: RefReading;
  readonly moved: readonly Moved[];
  readonly isHeadMoved: boolean;
}

interface KeptRefs {
  readonly isAny: boolean;
  readonly commits: readonly string[];
}

async function keepAgentRefs(attempt: OpenAttempt, seen: Seen): Promise<KeptRefs> {
  const { repository, record } = attempt;
  const { plan, task, number } = record.attempt;
  const prefix = toByteName(agentRefPrefix(plan, task, number));
  const old = [...seen.reading.refs].filter(([ref]) => ref.startsWith(prefix));
  // What was moved out of the way has a name that says nothing of branches or HEAD: it keeps nothing from having its own.
  const wasInTheWay = (ref: ByteName): boolean =>
    isInTheWay(`refs/${toText(ref.slice(prefix.length))}`, plan);
  const oldIds = old.filter(([ref]) => !wasInTheWay(ref)).map(([, id]) => id);
  const values = agentValues(seen);
  const seenIds = [...values.values(), ...oldIds];
  for (const tip of await reflogTips(attempt, seenIds))
    values.set(`reflog/${tip.slice(0, 12)}`, tip);
  const gone = await missingObjects(repository, [...values.values()]);
  const fresh = [...values].filter(([, id]) => !gone.has(id) && !oldIds.includes(id));
  const names = new Set(seen.reading.refs.keys());
  const changes = fresh.map(([name, to]): RefChange => {
    const ref = freeRef(prefix, name, { id: to, names });
    names.add(ref);
    return { kind: 'create', ref, to, from: '' };
  });
  await changeRefs(repository.git, changes, 'made during an attempt');
  const kept = [...old, ...changes.map(({ ref }, i) => [ref, fresh[i]?.[1] ?? ''] as const)];
  const ofCommits = ['HEAD', 'heads/', 'reflog/'].map((name) => prefix + name);
  return {
    isAny: kept.length > 0,
    commits: kept.filter(([ref]) => ofCommits.some((c) => ref.startsWith(c))).map(([, id]) => id),
  };
}

function agentValues({ reading, moved, isHeadMoved }: Seen): Map<ByteName, string> {
  const values = new Map<ByteName, string>();
  if (isHeadMoved && isId(reading.head)) values.set('HEAD', reading.head);
  for (const { ref, now } of moved) if (isId(now)) values.set(ref.slice('refs/'.length), now);
  return values;
}

function isId(value: string | undefined): value is string {
  return value !== undefined && /^[0-9a-f]{40,}$/.test(value);
}

async function restoreHead({ record, repository }: OpenAttempt): Promise<void> {
  const branch = toText(record.branch);
  await repository.git.run(['symbolic-ref', '-m', 'skeleton: put back', 'HEAD', branch]);
}

async function putRefsBack(
  { repository, record, quarantine }: OpenAttempt,
  moved: readonly Moved[],
): Promise<void> {
  const { git } = repository;
  if (moved.length > 0)
    for (const tag of record.tagObjects) writeObject(repository, 'tag', record.bytesOf(tag));
  for (const { ref, then } of moved)
    if (then?.startsWith('ref: ') === true)
      await git.run(['symbolic-ref', toText(ref), toText(then.slice(5))]);
  clearLogs(repository, quarantine, moved);
  try {
    await inTurn(git.store, async () => {
      const { refs } = await readRefs(repository);
      // Another attempt that ends may have put it back already.
      const left = moved.filter(({ ref, then }) => refs.get(ref) !== then);
      await changeInTurn(git, left.flatMap(changeBack), 'put back');
    });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const names = moved.map(({ ref }) => toShown(ref)).join(', ');
    throw new Refusal(4, `refs cannot be put back (${names}): ${error.stderr.trim()}`, 'git fsck');
  }
}

/** An old value of '' is not checked: a symbolic ref has none of its own, a broken one none at all. */
function changeBack({ ref, now, then }: Moved): readonly RefChange[] {
  if (then?.startsWith('ref: ') === true) return [];
  const from = isId(now) ? now : '';
  if (then !== undefined && then !== '') return [{ kind: 'update', ref, to: then, from }];
  return now === undefined || now === '' ? [] : [{ kind: 'delete', ref, from }];
}

/** The older entries of the stash are known to its reflog alone. */
function restoreStashLog({ record, repository }: OpenAttempt): void {
  if (!isAlone(repository)) return;
  const path = `${repository.commonDir}/logs/refs/stash`;
  if (record.stashLog === undefined) return;
  const then = record.bytesOf(record.stashLog);
  if (readRegular(path)?.equals(then) === true) return;
  mkdirSync(toPath(path.slice(0, path.lastIndexOf('/'))), { recursive: true });
  writeFileSync(toPath(path), then);
}

function tell(
  { record }: OpenAttempt,
  seen: {
    readonly moved: readonly Moved[];
    readonly isHeadMoved: boolean;
    readonly isKept: boolean;
  },
): string {
  const names = seen.moved.map(({ ref }) => toShown(ref));
  const { plan, task, number } = record.attempt;
  const where = seen.isKept
    ? `; as the agent left them: ${agentRefPrefix(plan, task, number)}`
    : '';
  return `put back after the attempt: ${(seen.isHeadMoved ? ['HEAD', ...names] : names).join(', ')}${where}`;
}
