import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../ports.ts';
import { toByteName, toPath, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { errorCode, statOf, withRegular, writeAll } from './raw-files.ts';
import type { Repository } from './located-repository.ts';

/**
 * Content of an index file. An entry whose file is as young as the index is looked at again by git ("racy git"), so a copy
 * must not look younger than what it was copied from: the whole second is kept.
 */
export interface IndexContent {
  readonly bytes: Buffer;
  /** Seconds since 1970, rounded down. */
  readonly time: number;
}

/** Milliseconds that another git may hold the lock of the index. */
const patienceMs = 10_000;
const pauseMs = 25;

/** Undefined where there is no such file. */
export function readIndex(path: ByteName): IndexContent | undefined {
  return withRegular(path, (fd) => ({
    bytes: readFileSync(fd),
    time: Math.floor(fstatSync(fd).mtimeMs / 1000),
  }));
}

/** For an index of our own, which nobody else reads. */
export function putIndex(path: ByteName, { bytes, time }: IndexContent): void {
  rmSync(toPath(`${path}.lock`), { force: true });
  writeFileSync(toPath(path), bytes, { mode: 0o600 });
  utimesSync(toPath(path), time, time);
}

/**
 * Writes the user's index as git does, through `index.lock`, so that no reader sees a half and no writer is overrun. The lock
 * is a second name of a file of ours: `isOwnIndexLock` knows it again where we are killed before it is renamed.
 * Throws Refusal(4) where somebody holds the lock for longer than 10 s.
 */
export async function installIndex(repository: Repository, content: IndexContent): Promise<void> {
  const path = `${repository.gitDir}/index`;
  const lock = `${path}.lock`;
  const ours = ownIndexLock(repository.state);
  rmSync(toPath(ours), { force: true });
  const fd = openSync(toPath(ours), 'wx', (statOf(path)?.mode ?? 0o644) & 0o777);
  try {
    writeAll(fd, content.bytes);
  } finally {
    closeSync(fd);
  }
  utimesSync(toPath(ours), content.time, content.time);
  await takeLock(ours, lock);
  renameSync(toPath(lock), toPath(path));
  rmSync(toPath(ours), { force: true });
}

const noBytes = Buffer.alloc(0);

function ownIndexLock(state: ByteName): ByteName {
  return `${state}/user-index`;
}

/** Whether the lock of a work tree's index is one that `installIndex` took and never gave up. Only for a work tree whose run is dead. */
export function isOwnIndexLock(gitDir: ByteName, state: ByteName): boolean {
  const [lock, ours] = [statOf(`${gitDir}/index.lock`), statOf(ownIndexLock(state))];
  if (lock === undefined || ours === undefined || lock.size === 0) return false;
  if (lock.ino === ours.ino && lock.dev === ours.dev) return true;
  return (
    readIndex(`${gitDir}/index.lock`)?.bytes.equals(
      readIndex(ownIndexLock(state))?.bytes ?? noBytes,
    ) === true
  );
}

async function takeLock(ours: ByteName, lock: ByteName): Promise<void> {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      linkOrCopy(ours, lock);
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (waited >= patienceMs) throw locked(lock);
      await sleep(pauseMs);
    }
  }
}

/** A file system without hard links gets a copy. */
function linkOrCopy(ours: ByteName, lock: ByteName): void {
  try {
    linkSync(toPath(ours), toPath(lock));
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') throw error;
    const { mtime } = statSync(toPath(ours));
    copyFileSync(toPath(ours), toPath(lock), constants.COPYFILE_EXCL);
    utimesSync(toPath(lock), mtime, mtime);
  }
}

function locked(lock: ByteName): Refusal {
  return new Refusal(
    4,
    `${toText(lock)} stands: another git works here, or one died`,
    `when no git runs: rm '${toText(lock)}'; then run again`,
  );
}

/** Where our own indexes lie: `index` is what the next call works on, the others are kept. */
function indexPath(repository: Repository, name: 'index' | 'other'): string {
  return toText(`${repository.state}/${name}`);
}

/** An index of ours, filled with this content or with nothing, for the calls of one piece of work; gives its path. */
export function useIndex(
  repository: Repository,
  content: IndexContent | undefined,
  name: 'index' | 'other' = 'index',
): string {
  const path = indexPath(repository, name);
  if (content !== undefined) putIndex(toByteName(path), content);
  else for (const old of [path, `${path}.lock`]) rmSync(old, { force: true });
  return path;
}
