import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Refusal } from '../ports.ts';
import type { RepositoryFacts } from '../ports.ts';
import { toByteName } from './byte-name.ts';
import { restoreGuarded } from './config-guard.ts';
import { openQuarantine } from './quarantine.ts';
import { readRegular, statOf } from './raw-files.ts';
import { loadRecord } from './record.ts';
import { clearStumbling } from './refs-guard.ts';
import { readRefFiles } from './refs.ts';
import { locateRepository, openRepository, stateFolder } from './repository.ts';
import type { Places, Repository } from './repository.ts';

/**
 * The repository of a folder; undefined where there is none. Where an attempt that died has garbled the configuration or HEAD
 * so that git finds none, those are put back first. Throws Refusal(3) with git's own words where git does not want to work
 * there: another owner's folder, a bare repository, a damaged one.
 */
export async function findRepository(
  cwd: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<RepositoryFacts | undefined> {
  return rescued(cwd, () => locateRepository(cwd, environment));
}

/** As findRepository, with doors. Throws Refusal(3) also where there is no repository. */
export async function openRescued(
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<Repository> {
  return rescued(cwd, () => openRepository(cwd, environment));
}

async function rescued<T>(cwd: string, open: () => Promise<T>): Promise<T> {
  const garbled = isGarbled(cwd);
  if (garbled) rescue(cwd);
  try {
    return await open();
  } catch (error) {
    if (garbled || !(error instanceof Refusal) || !rescue(cwd)) throw error;
    return open();
  }
}

/** Git would wait for ever to open it. */
function isGarbled(cwd: string): boolean {
  const places = findByHand(cwd);
  const stat = places && statOf(`${places.commonDir}/config`);
  return stat !== undefined && !stat.isFile() && !stat.isSymbolicLink();
}

/** False where no attempt left a record here. */
function rescue(cwd: string): boolean {
  const places = findByHand(cwd);
  const record = places && loadRecord(stateFolder(places).state);
  if (places === undefined || record === undefined) return false;
  const attempt = {
    record,
    repository: places,
    quarantine: openQuarantine(places, record.attempt),
  };
  restoreGuarded(attempt);
  clearStumbling(attempt, readRefFiles(places));
  record.close();
  return true;
}

/** As git looks for it (gitrepository-layout(5)), without asking git. */
function findByHand(cwd: string): Places | undefined {
  const dotGit = climb(resolve(cwd));
  if (dotGit === undefined) return undefined;
  const top = realpathSync(dirname(dotGit));
  const link = readRegular(toByteName(dotGit))?.toString().trim();
  const gitDir =
    link === undefined ? join(top, '.git') : resolve(top, link.replace(/^gitdir: /, ''));
  const common =
    readRegular(toByteName(join(gitDir, 'commondir')))
      ?.toString()
      .trim() ?? '.';
  return {
    top: toByteName(top),
    gitDir: toByteName(gitDir),
    commonDir: toByteName(resolve(gitDir, common)),
  };
}

function climb(folder: string): string | undefined {
  const here = join(folder, '.git');
  if (statOf(toByteName(here)) !== undefined) return here;
  return dirname(folder) === folder ? undefined : climb(dirname(folder));
}
