import { chmodSync, mkdirSync } from 'node:fs';
import { toPath, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { commonGround, isCommon, keepCommon } from './company.ts';
import { openGitFolders } from './open-git-folders.ts';
import type { Quarantine } from './quarantine.ts';
import { entriesOf, statOf } from './raw-files.ts';
import type { OpenRecord, RecordWriter, Thing } from './record.ts';
import { readSmall } from './located-repository.ts';
import type { Places, Repository } from './located-repository.ts';
import { compareThing, pathsBelow, putThing, recordThing } from './things.ts';

/**
 * Files of the git directory that steer git: they are put back, byte for byte, before git is called again, because git runs
 * what they name (filters, fsmonitor, hooks) and works where they say (core.worktree).
 */
const shared = ['config', 'info', 'hooks', 'shallow', 'objects/info/alternates'];

/** Marks of a merge, rebase or other operation under way (gitrepository-layout(5), git-status(1)). */
const operationFiles = [
  ...['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'MERGE_RR', 'AUTO_MERGE', 'SQUASH_MSG'],
  ...['CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD', 'rebase-merge', 'rebase-apply'],
  ...['sequencer', 'NOTES_MERGE_WORKTREE', 'NOTES_MERGE_PARTIAL', 'NOTES_MERGE_REF'],
  ...['BISECT_START', 'BISECT_LOG', 'BISECT_NAMES', 'BISECT_TERMS', 'BISECT_EXPECTED_REV'],
  ...['BISECT_ANCESTORS_OK', 'BISECT_FIRST_PARENT', 'BISECT_RUN', 'BISECT_HEAD'],
];
const own = ['config.worktree', ...operationFiles];

function guardedRoots(places: Places): readonly ByteName[] {
  const { commonDir, gitDir, top } = places;
  const isLinked = gitDir !== commonDir;
  const links = isLinked ? [`${gitDir}/commondir`, `${gitDir}/gitdir`] : [];
  const dotGit = `${top}/.git`;
  return [
    ...shared.map((name) => `${commonDir}/${name}`),
    ...own.map((name) => `${gitDir}/${name}`),
    ...links,
    ...(statOf(dotGit)?.isDirectory() === true ? [] : [dotGit]),
    ...moduleConfigs(`${commonDir}/modules`),
  ];
}

/** Git looks into submodules, and there their own configuration counts. */
function moduleConfigs(folder: ByteName): readonly ByteName[] {
  const entries = entriesOf(folder) ?? [];
  if (entries.some(({ name }) => name === 'HEAD')) return [`${folder}/config`];
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => moduleConfigs(`${folder}/${name}`));
}

/** Files that the configuration includes from inside the work tree or the git directory: an agent can write them too. */
async function includedConfigs(repository: Repository): Promise<readonly ByteName[]> {
  const { git, top, commonDir, gitDir } = repository;
  const text =
    (readSmall(`${commonDir}/config`) ?? '') + (readSmall(`${gitDir}/config.worktree`) ?? '');
  if (!/^\s*\[\s*include/im.test(text)) return [];
  const out = await git.run(['config', '--list', '--show-origin', '--name-only', '-z']);
  const origins = out.toString('latin1').split('\0');
  const files = origins.filter((origin) => origin.startsWith('file:')).map((file) => file.slice(5));
  const paths = files.map((file) => (file.startsWith('/') ? file : `${top}/${file}`));
  return [...new Set(paths)].filter((path) => path.startsWith(`${top}/`));
}

/** Every `git gc` writes a list of the refs there, for servers: it steers nothing. */
function isTidied(path: ByteName): boolean {
  return path.endsWith('/info/refs');
}

/** Everything guarded, with what is there; a root where nothing is yet is named by its absence. */
export async function recordGuarded(
  repository: Repository,
  writer: RecordWriter,
): Promise<(readonly [ByteName, Thing])[]> {
  const roots = [...guardedRoots(repository), ...(await includedConfigs(repository))];
  const others = commonGround(repository);
  const paths = roots
    .flatMap(pathsBelow)
    .filter((path) => !isTidied(path))
    .filter((path) => others === undefined || !isCommon(repository.commonDir, path));
  const own = paths.flatMap((path) => {
    const thing = recordThing(path, writer);
    return thing === undefined ? [] : [[path, thing] as const];
  });
  return others === undefined ? own : [...keepCommon(others, writer), ...own];
}

/** What it takes to put settings back: a repository that git can open is no part of it. */
export interface Settings {
  readonly repository: Places;
  readonly record: OpenRecord;
  readonly quarantine: Quarantine;
}

/** Puts everything guarded back, without calling git; the agent's versions go to quarantine. Gives what it did, in words. */
export function restoreGuarded({ repository, record, quarantine }: Settings): readonly string[] {
  const known = new Map(record.guarded);
  const notices: string[] = [...openGitFolders(repository)];
  const setAside = (path: ByteName, why: string): void => {
    const where = quarantine.take(path, 'git', insideName(path, repository));
    notices.push(`${toShown(path)} was ${why} during the attempt: that is now ${where}`);
  };
  for (const path of newPaths(guardedRoots(repository), known)) setAside(path, 'added');
  for (const [path, thing] of known) {
    const difference = compareThing(path, thing);
    if (difference === 'same') continue;
    if (difference === 'other') setAside(path, 'changed');
    else notices.push(`${toShown(path)} was changed during the attempt: put back`);
    if (difference === 'mode' && thing.kind !== 'link') chmodSync(toPath(path), thing.mode);
    else putBack(path, thing, record);
  }
  return notices;
}

function putBack(path: ByteName, thing: Thing, record: OpenRecord): void {
  mkdirSync(toPath(path.slice(0, path.lastIndexOf('/'))), { recursive: true });
  putThing(path, thing, record.bytesOf);
}

/** The outermost paths that were not there. */
function newPaths(
  roots: readonly ByteName[],
  known: ReadonlyMap<ByteName, Thing>,
): readonly ByteName[] {
  const outermost: ByteName[] = [];
  for (const path of roots.flatMap(pathsBelow)) {
    if (isTidied(path)) continue;
    const last = outermost.at(-1);
    const isInner = last !== undefined && path.startsWith(`${last}/`);
    if (!known.has(path) && !isInner) outermost.push(path);
  }
  return outermost;
}

function insideName(path: ByteName, { commonDir, gitDir, top }: Places): ByteName {
  const root = [gitDir, commonDir, top].find((folder) => path.startsWith(`${folder}/`)) ?? '';
  return path.slice(root.length + 1);
}
