import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningIn } from '../exec/running-in.ts';
import { Refusal } from '../ports.ts';
import { toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { isAlone } from './company.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { otherWorktrees } from './read-refs.ts';
import { statOf } from './raw-files.ts';
import { loadRecord } from './record.ts';
import { readRefFiles } from './refs.ts';
import type { Repository } from './located-repository.ts';

/** A lock younger than this may belong to a person's git that is just at work. Milliseconds, like all here. */
const youngMs = 1000;
const pauseMs = 50;
/** How long another git may hold a lock. */
const patienceMs = 10_000;
/** From when on a person is told what is waited for. */
const tellAfterMs = 1000;

/**
 * What our own calls would wait for in vain. `gc.pid`, `objects/maintenance.lock` and those of commit graphs and reflogs are
 * none: a tidying git holds them for minutes, and hinders nobody.
 */
const own = ['index', 'HEAD', 'config.worktree'].map((name) => `${name}.lock`);
const common = ['config', 'packed-refs', 'shallow']
  .map((name) => `${name}.lock`)
  // Git makes it beside the lock, and stumbles over one that stands.
  .concat('packed-refs.new', 'reftable/tables.list.lock');

/** Locks of git that stand in the way here: of those files, and of a ref that no other work tree is on. Absolute paths. */
function standingLocks(repository: Repository): readonly ByteName[] {
  const { gitDir, commonDir } = repository;
  const ofFiles = [
    ...own.map((name) => `${gitDir}/${name}`),
    ...common.map((name) => `${commonDir}/${name}`),
  ].filter((path) => statOf(path) !== undefined);
  const elsewhere = otherWorktrees(repository).map((head) => `${commonDir}/${head.slice(5)}.lock`);
  const ofRefs = readRefFiles(repository).odd.filter((path) => path.endsWith('.lock'));
  return [...ofFiles, ...ofRefs.filter((path) => !elsewhere.includes(path))];
}

/**
 * Waits, before anything is touched, for locks that another git holds; `onWait` is told once it takes long. Locks that the
 * processes of an attempt left whose run is dead are for its recovery to clear, unless a git is at work here. Throws
 * Refusal(3) where one stands for longer than 10 s.
 */
export async function awaitLocks(
  repository: Repository,
  onWait: (message: string) => Promise<void>,
): Promise<void> {
  const record = loadRecord(repository.state);
  record?.close();
  const isAnothers = (path: ByteName): boolean =>
    record === undefined || modifiedAt(path) < record.began || gitsIn(repository) !== '';
  let told = false;
  const stands = await waitWhile(
    () => standingLocks(repository).find(isAnothers),
    async (path, waited) => {
      if (told || waited < tellAfterMs) return;
      told = true;
      await onWait(`waiting for another git, which holds ${toShown(path)}`);
    },
  );
  if (stands !== undefined) throw refusal(3, stands, repository);
}

/** Throws Refusal(4) where a lock stands for longer than another git needs. */
export async function refuseLocks(repository: Repository): Promise<void> {
  const stands = await waitWhile(() => standingLocks(repository)[0]);
  if (stands !== undefined) throw refusal(4, stands, repository);
}

/** What a git call may have failed for: Refusal(4) where a lock stands that is not just in use; undefined where none does. */
export async function explainByLock(repository: Repository): Promise<Refusal | undefined> {
  for (const path of standingLocks(repository)) {
    await outlast(path);
    if (statOf(path) !== undefined) return refusal(4, path, repository);
  }
  return undefined;
}

/** Gives what still stands when the patience is over. A lock that follows another is waited for as long as that one. */
async function waitWhile(
  find: () => ByteName | undefined,
  onWait?: (path: ByteName, waited: number) => Promise<void>,
): Promise<ByteName | undefined> {
  const began = performance.now();
  for (;;) {
    const path = find();
    const waited = performance.now() - began;
    if (path === undefined || waited >= patienceMs || isOld(path)) return path;
    await onWait?.(path, waited);
    await sleep(pauseMs);
  }
}

function refusal(status: 3 | 4, path: ByteName, repository: Repository): Refusal {
  const holder = gitsIn(repository);
  const why = holder === '' ? 'another git works here, or one died' : `${holder} works here`;
  const quoted = `'${toText(path).replaceAll("'", `'\\''`)}'`;
  const mend =
    holder === ''
      ? `when no git runs: rm ${quoted}; then run again`
      : 'wait for it, or end it; then run again';
  return new Refusal(status, `${toShown(path)} stands: ${why}`, mend);
}

/** Words for the git processes that are at work in this work tree; '' for none, and where the system does not say. */
function gitsIn({ top, gitDir, commonDir }: Repository): string {
  const found = findRunningIn('git', [top, gitDir, commonDir].map(toText));
  return found.map(({ pid, command }) => `process ${pid} (${command})`).join(', ');
}

/** It stands for longer than we would wait already. */
function isOld(path: ByteName): boolean {
  return Date.now() - modifiedAt(path) >= patienceMs;
}

function modifiedAt(path: ByteName): number {
  return statOf(path)?.mtimeMs ?? Date.now();
}

/** Locks that the attempt's processes, which are dead, left behind would stop git for ever: they go to quarantine. */
export async function clearLocks(attempt: OpenAttempt): Promise<readonly string[]> {
  const { repository, quarantine } = attempt;
  const notices: string[] = [];
  for (const path of standingLocks(repository)) {
    // Another agent's git may hold it, that is at work in another work tree.
    const isOwn = own.some((name) => path === `${repository.gitDir}/${name}`);
    await outlast(path, isOwn || isAlone(repository) ? youngMs : patienceMs);
    if (statOf(path) === undefined) continue;
    const where = quarantine.take(path, 'git', path.slice(repository.commonDir.length + 1));
    notices.push(`${toShown(path)} was left standing by the attempt: that is now ${where}`);
  }
  return notices;
}

/** Until the lock is gone, or too old to be in use by a git that is just at work. */
export async function outlast(path: ByteName, longestMs: number = youngMs): Promise<void> {
  for (let waited = 0; waited < longestMs; waited += pauseMs) {
    const stat = statOf(path);
    if (stat === undefined || Date.now() - stat.mtimeMs >= longestMs) return;
    await sleep(pauseMs);
  }
}
