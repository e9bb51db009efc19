import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { errorCode, readRegular, statOf } from './raw-files.ts';
import type { Places } from './located-repository.ts';

/** Milliseconds that a `git gc` which is under way may take before we begin all the same. */
const patienceMs = 10_000;
const pauseMs = 50;
const tellAfterMs = 1000;
const noBytes = Buffer.alloc(0);
/** From then on git takes no notice of a `gc.pid` (builtin/gc.c, `lock_repo_for_gc`). */
const validMs = 12 * 60 * 60_000;

/**
 * Keeps `git gc` away: `--prune=now` deletes what no ref reaches yet, and between a tree and its checkpoint that is a task's
 * whole work. It is git's own way, a `gc.pid` that names us: a gc of a person's says so and ends, an automatic one ends silently,
 * and where we are killed git sees that we are dead. Packing of refs and loose objects goes on. Gives what ends it.
 */
export async function holdGc(
  { commonDir }: Pick<Places, 'commonDir'>,
  tell: (message: string) => Promise<void>,
): Promise<() => void> {
  const path = `${commonDir}/gc.pid`;
  const mark = `${commonDir}/skeleton/gc.pid`;
  const mine = `${process.pid} ${hostname()}`;
  for (let waited = 0; waited < patienceMs; waited += pauseMs) {
    if (take(path, mine)) return hold({ path, mark, mine });
    // Another run in this repository keeps it away already.
    if (readRegular(path)?.equals(readRegular(mark) ?? noBytes) === true) break;
    if (waited === tellAfterMs)
      await tell('waiting up to 10 s for the git gc that is under way here');
    await sleep(pauseMs);
  }
  return () => undefined;
}

interface Holding {
  readonly path: ByteName;
  /** Says that it is a run that holds it. */
  readonly mark: ByteName;
  readonly mine: string;
}

function hold({ path, mark, mine }: Holding): () => void {
  writeFileSync(toPath(mark), mine);
  return () => {
    for (const file of [path, mark]) give(file, mine);
  };
}

/** Looks and writes under git's lock for it, or a gc that begins at this moment would be overlooked. */
function take(path: ByteName, mine: string): boolean {
  const lock = `${path}.lock`;
  try {
    writeFileSync(toPath(lock), mine, { flag: 'wx' });
  } catch {
    // A gc that is just beginning, or a folder that is closed to us: the run's own checks have more to say about that.
    return false;
  }
  if (isHeld(path)) {
    rmSync(toPath(lock), { force: true });
    return false;
  }
  renameSync(toPath(lock), toPath(path));
  return true;
}

function isHeld(path: ByteName): boolean {
  const stat = statOf(path);
  if (stat === undefined || Date.now() - stat.mtimeMs > validMs) return false;
  const found = /^(\d+) (.*)$/s.exec(readRegular(path)?.toString() ?? '');
  return found !== null && (found[2] !== hostname() || isAlive(Number(found[1])));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function give(path: ByteName, mine: string): void {
  if (readRegular(path)?.toString() === mine) rmSync(toPath(path), { force: true });
}
