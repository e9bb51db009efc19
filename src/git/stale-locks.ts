import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../ports.ts';
import { toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { statOf } from './raw-files.ts';
import { readRefFiles } from './refs.ts';
import type { Repository } from './located-repository.ts';

/** A lock younger than this may belong to a person's git that is just at work. */
const youngMs = 1000;
const pauseMs = 50;

/** What our own calls would wait for in vain. `gc.log.lock`, say, is none: a tidying git holds it for minutes, and hinders nobody. */
const locked = ['index', 'HEAD', 'config', 'config.worktree', 'packed-refs', 'shallow'];

/** Locks of git that stand: of those files, and of a ref. Absolute paths. */
function standingLocks(repository: Repository): readonly ByteName[] {
  const { gitDir, commonDir } = repository;
  const ofFiles = [...new Set([gitDir, commonDir])]
    .flatMap((folder) => locked.map((name) => `${folder}/${name}.lock`))
    .filter((path) => statOf(path) !== undefined);
  return [...ofFiles, ...readRefFiles(repository).odd.filter((path) => path.endsWith('.lock'))];
}

/** Throws Refusal(4) where a lock stands for longer than another git needs. */
export async function refuseLocks(repository: Repository): Promise<void> {
  for (const path of standingLocks(repository)) {
    await outlast(path);
    if (statOf(path) === undefined) continue;
    const shown = toShown(path);
    const mend = `when no git runs: rm '${shown}'`;
    throw new Refusal(4, `${shown} stands: another git works here, or one died`, mend);
  }
}

/** Locks that the attempt's processes, which are dead, left behind would stop git for ever: they go to quarantine. */
export async function clearLocks(attempt: OpenAttempt): Promise<readonly string[]> {
  const { repository, quarantine } = attempt;
  const notices: string[] = [];
  for (const path of standingLocks(repository)) {
    await outlast(path);
    if (statOf(path) === undefined) continue;
    const where = quarantine.take(path, 'git', path.slice(repository.commonDir.length + 1));
    notices.push(`${toShown(path)} was left standing by the attempt: that is now ${where}`);
  }
  return notices;
}

async function outlast(path: ByteName): Promise<void> {
  for (let waited = 0; waited < youngMs; waited += pauseMs) {
    const stat = statOf(path);
    if (stat === undefined || Date.now() - stat.mtimeMs >= youngMs) return;
    await sleep(pauseMs);
  }
}
