import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { isAbsolute, join, parse, resolve } from 'node:path';
import { Refusal } from '../ports.ts';
import type { RepositoryFacts } from '../ports.ts';
import { toByteName, toPath, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { GitError, openGit, usePlainGit } from './git.ts';
import type { Git } from './git.ts';
import { errorCode, readRegular, statOf } from './raw-files.ts';
import { recordedTop } from './record.ts';
import { readHead, resolveRef } from './refs.ts';

/** Where things lie; absolute. */
export interface Places {
  readonly top: ByteName;
  readonly gitDir: ByteName;
  readonly commonDir: ByteName;
}

/** One work tree and its repository, as this room sees them. */
export interface Repository extends Places {
  readonly facts: RepositoryFacts;
  readonly git: Git;
  readonly environment: NodeJS.ProcessEnv;
  /** Absolute; our own folder for this work tree: private index, record of the attempt. */
  readonly state: ByteName;
  /** Short name of the work tree; the same for as long as it lives. */
  readonly id: string;
  readonly objectFormat: ObjectFormat;
}

export type ObjectFormat = 'sha1' | 'sha256';

/** The repository of a folder; undefined where there is none. Throws Refusal(3) where git does not want to work there. */
export async function locateRepository(
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<RepositoryFacts | undefined> {
  return (await locate(cwd, environment))?.facts;
}

/** As locateRepository, with doors. Throws Refusal(3) also where there is no repository. */
export async function openLocated(
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<Repository> {
  const place = await locate(cwd, environment);
  if (place === undefined)
    throw new Refusal(3, `${cwd} is in no git work tree`, 'git init, then commit what is there');
  const { facts, objectFormat } = place;
  const places: Places = {
    top: toByteName(facts.top),
    gitDir: toByteName(facts.gitDir),
    commonDir: toByteName(facts.commonDir),
  };
  // The user's own index is the agent's to garble, and ours to write in one place only.
  const nowhere = `${facts.commonDir}/skeleton/no-index`;
  const own = stateFolder(places);
  return {
    ...places,
    ...own,
    facts,
    git: openGit({ ...facts, nowhere, state: own.state }, environment),
    environment,
    objectFormat,
  };
}

export function stateFolder({
  gitDir,
  commonDir,
}: Omit<Places, 'top'>): Pick<Repository, 'id' | 'state'> {
  const id = createHash('sha256').update(toPath(gitDir)).digest('hex').slice(0, 12);
  return { id, state: `${commonDir}/skeleton/worktrees/${id}` };
}

interface Located {
  readonly facts: RepositoryFacts;
  readonly objectFormat: ObjectFormat;
}

const questions = [
  '--show-toplevel',
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-object-format',
];

async function locate(cwd: string, environment: NodeJS.ProcessEnv): Promise<Located | undefined> {
  if (!climbs(resolve(cwd))) return undefined;
  const lines = (await askWhere(cwd, environment)).split('\n');
  const [top = '', gitDir = '', common = '', format] = lines;
  if (lines.length !== questions.length || top.includes('\ufffd'))
    throw new Refusal(3, `the path of ${cwd} holds a line end or is no UTF-8`, 'mv it elsewhere');
  const commonDir = isAbsolute(common) ? common : resolve(cwd, common);
  const places = { gitDir: toByteName(gitDir), commonDir: toByteName(commonDir) };
  const recorded = recordedTop(stateFolder(places).state);
  const facts = { top: recorded === undefined ? top : toText(recorded), gitDir, commonDir };
  return {
    facts: { ...facts, ...standing(places) },
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
  };
}

function standing(places: Omit<Places, 'top'>): Pick<RepositoryFacts, 'branch' | 'head'> {
  const head = readHead(places.gitDir);
  const branch = head.startsWith('ref: ') ? head.slice(5) : undefined;
  const tip = branch === undefined ? head : resolveRef(places, branch);
  return {
    branch: branch === undefined ? undefined : toText(branch),
    head: tip === '' ? undefined : tip,
  };
}

/** Whether this folder or one above it holds a `.git`: without one there is no need to start git. */
function climbs(folder: string): boolean {
  const here = statOf(toByteName(join(folder, '.git'))) !== undefined;
  return here || (folder !== parse(folder).root && climbs(join(folder, '..')));
}

async function askWhere(cwd: string, environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    return await usePlainGit({ folder: cwd, environment }, (git) => git.revparse(questions));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(3, `git does not work in ${cwd}: ${error.stderr.trim()}`, 'git status');
  }
}

/** Makes our own folder. Throws Refusal(4) where something else stands there or the git directory cannot be written. */
export function makeStateFolder({ commonDir, state }: Repository): void {
  const parts = state.slice(commonDir.length + 1).split('/');
  let folder = commonDir;
  for (const part of parts) {
    folder += `/${part}`;
    const stat = statOf(folder);
    if (stat?.isDirectory() === true) continue;
    if (stat !== undefined)
      throw new Refusal(4, `${toText(folder)} is in the way: it should be a folder`, `mv it aside`);
    makeOne(folder);
  }
}

function makeOne(folder: ByteName): void {
  try {
    mkdirSync(toPath(folder), { mode: 0o700 });
  } catch (error) {
    throw new Refusal(4, `cannot make ${toText(folder)}: ${errorCode(error) ?? String(error)}`);
  }
}

/** A file of the git directory as text; undefined where there is none. */
export function readSmall(path: ByteName): string | undefined {
  return readRegular(path)?.toString('latin1');
}
