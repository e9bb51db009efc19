import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Refusal } from '../ports.ts';
import type { RepositoryFacts } from '../ports.ts';
import { toByteName } from './byte-name.ts';
import { readRegular, statOf } from './raw-files.ts';
import { locateRepository, openLocated } from './located-repository.ts';
import type { Places, Repository } from './located-repository.ts';

export { makeStateFolder } from './located-repository.ts';
export type { Repository } from './located-repository.ts';

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
export async function openRepository(
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<Repository> {
  return rescued(cwd, () => openLocated(cwd, environment));
}

async function rescued<T>(cwd: string, open: () => Promise<T>): Promise<T> {
  const places = findByHand(cwd);
  // Git would wait for ever to open such a configuration.
  const hangs = places !== undefined && isSpecial(`${places.commonDir}/config`);
  if (hangs) await rescue(places);
  try {
    return await open();
  } catch (error) {
    const isOver = hangs || places === undefined || !(error instanceof Refusal);
    if (isOver || !(await rescue(places))) throw error;
    return open();
  }
}

function isSpecial(path: string): boolean {
  const stat = statOf(path);
  return stat !== undefined && !stat.isFile() && !stat.isSymbolicLink();
}

/** Rarely needed, so loaded on demand. */
async function rescue(places: Places): Promise<boolean> {
  const { restoreFromRecord } = await import('./rescue.ts');
  return restoreFromRecord(places);
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
