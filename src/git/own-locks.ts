import { rmSync } from 'node:fs';
import { endProcesses } from '../exec/end-processes.ts';
import { toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { deadCalls, lockIdentity, locksOf } from './call-notes.ts';
import type { CallNote } from './call-notes.ts';
import type { Repository } from './located-repository.ts';
import { isOwnIndexLock } from './private-index.ts';
import { entriesOf, readRegular, statOf } from './raw-files.ts';
import { outlast } from './stale-locks.ts';

/** As clearNotedLocks, and the lock of this work tree's index: so its run lock has to be held. */
export async function clearOwnLocks(repository: Repository): Promise<readonly string[]> {
  const { gitDir, state } = repository;
  const own = isOwnIndexLock(gitDir, state) ? [remove(`${gitDir}/index.lock`)] : [];
  return wordsFor([...own, ...(await clearNoted(repository))]);
}

/**
 * Takes away the lock files that git calls of ours left which were killed, or whose skeleton was, in any work tree of this
 * repository, once what is left of those calls is ended. Which they are is known from the notes of the calls, never guessed
 * by age. Gives what it did, in words.
 */
export async function clearNotedLocks(repository: Repository): Promise<readonly string[]> {
  return wordsFor(await clearNoted(repository));
}

async function clearNoted({ commonDir }: Repository): Promise<readonly ByteName[]> {
  const cleared: ByteName[] = [];
  const root = `${commonDir}/skeleton/worktrees`;
  for (const { name } of entriesOf(root) ?? [])
    for (const { path, note, hasCaller } of deadCalls(`${root}/${name}`)) {
      // A git that was asked to end takes its locks away itself.
      if (note !== undefined && !hasCaller) await endProcesses({ token: note.token });
      if (note !== undefined) cleared.push(...(await clearAfter(note, commonDir)));
      rmSync(toPath(path), { force: true });
    }
  return cleared;
}

function wordsFor(locks: readonly ByteName[]): readonly string[] {
  if (locks.length === 0) return [];
  const were = locks.length === 1 ? 'was' : 'were';
  return [
    `${locks.map(toShown).join(', ')} ${were} left by a git of ours that was killed: removed`,
  ];
}

async function clearAfter(note: CallNote, commonDir: ByteName): Promise<readonly ByteName[]> {
  const cleared: ByteName[] = [];
  for (const lock of locksOf(note, commonDir)) {
    if (!isInside(commonDir, lock) || !isLeftBy(note, lock)) continue;
    // Another git may have taken it since, if ours had not.
    await outlast(lock);
    if (isLeftBy(note, lock)) cleared.push(remove(lock));
  }
  return cleared;
}

function isInside(commonDir: ByteName, lock: ByteName): boolean {
  return lock.startsWith(`${commonDir}/`) && !lock.includes('/../');
}

/** It was not there when the call began, and says nothing but what the call was to write. */
function isLeftBy({ before, words }: CallNote, lock: ByteName): boolean {
  const identity = lockIdentity(lock);
  if (identity === undefined || statOf(lock)?.isFile() !== true) return false;
  if (before.some(([path, then]) => path === lock && then === identity)) return false;
  if (!/\/(?:HEAD|refs\/.*)\.lock$/s.test(lock)) return true;
  const text =
    readRegular(lock)
      ?.toString('latin1')
      .trim()
      .replace(/^ref: /, '') ?? '';
  return words.includes(text);
}

function remove(lock: ByteName): ByteName {
  rmSync(toPath(lock), { force: true });
  return lock;
}
