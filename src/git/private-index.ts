import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
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

/** How long the user's editor may hold the lock of the index. */
const patienceMs = 2000;
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
 * Writes the user's index as git does, through `index.lock`, so that no reader sees a half and no writer is overrun.
 * Throws Refusal(4) where somebody holds the lock for longer than 2 s.
 */
export async function installIndex(repository: Repository, content: IndexContent): Promise<void> {
  const path = `${repository.gitDir}/index`;
  const lock = `${path}.lock`;
  const fd = await openLock(lock, statOf(path)?.mode ?? 0o644);
  try {
    writeAll(fd, content.bytes);
  } finally {
    closeSync(fd);
  }
  utimesSync(toPath(lock), content.time, content.time);
  renameSync(toPath(lock), toPath(path));
}

async function openLock(lock: ByteName, mode: number): Promise<number> {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return openSync(toPath(lock), 'wx', mode & 0o777);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (waited >= patienceMs) throw locked(lock);
      await sleep(pauseMs);
    }
  }
}

function locked(lock: ByteName): Refusal {
  return new Refusal(
    4,
    `${toText(lock)} stands: another git works here, or one died`,
    `when no git runs: rm '${toText(lock)}'`,
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
  if (content === undefined) rmSync(path, { force: true });
  else putIndex(toByteName(path), content);
  return path;
}
