import { Refusal } from '../ports.ts';
import { toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { ignoredAtBegin } from './ignore-rules.ts';
import {
  clearObstacles,
  countObstacles,
  findObstacles,
  holdsTracked,
  openClosed,
  unlockFile,
} from './obstacles.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { isReadable, statOf } from './raw-files.ts';
import { stageChanges } from './stage.ts';
import { surveyTree } from './survey.ts';
import type { Change, Survey } from './survey.ts';
import { pathsBelow } from './things.ts';

/** A work tree that git can hold whole, and the tree of it. */
export interface Bare {
  readonly tree: string;
  readonly changes: readonly Change[];
  /** Our index, which matches the tree. */
  readonly index: string;
  readonly notices: readonly string[];
}

/** Each round makes something visible that was hidden behind what it sets aside; more rounds than this are somebody at work. */
const mostRounds = 20;

/**
 * Sets aside what git cannot hold (special files, repositories, huge and unreadable files, names that git refuses), by
 * renaming, and takes all the rest into our index. Throws Refusal(4) where something cannot even be renamed.
 */
export async function layBare(attempt: OpenAttempt): Promise<Bare> {
  const notices: string[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const obstacles = await findObstacles(attempt);
    openClosed(attempt, obstacles);
    if (countObstacles(obstacles) > 0) {
      notices.push(...clearObstacles(attempt, obstacles));
      continue;
    }
    const survey = await surveyTree(attempt, obstacles.walk.ignoreFiles);
    const cleared = await clearSurveyed(attempt, survey);
    notices.push(...cleared.notices);
    if (cleared.mustLookAgain) continue;
    const changes = [...survey.changes, ...cleared.files];
    const unaddable = await stageChanges(attempt.repository, survey.index, changes);
    notices.push(...unaddable.map((path) => setAside(attempt, path, 'which git cannot hold')));
    if (unaddable.length > 0) continue;
    return {
      tree: await writeTree(attempt, survey.index, changes),
      changes,
      index: survey.index,
      notices,
    };
  }
  throw new Refusal(
    4,
    'the work tree does not come to rest: something writes to it',
    'end it, then run again',
  );
}

async function writeTree(
  { repository, record }: OpenAttempt,
  index: string,
  changes: readonly Change[],
): Promise<string> {
  if (changes.length === 0) return record.tree;
  return (await repository.git.run(['write-tree'], { index })).toString().trim();
}

function setAside({ repository, quarantine }: OpenAttempt, path: ByteName, why: string): string {
  return `${toShown(path)}, ${why}, is set aside: ${quarantine.take(`${repository.top}/${path}`, 'tree', path)}`;
}

interface Cleared {
  readonly notices: readonly string[];
  readonly mustLookAgain: boolean;
  /** Files that only the attempt's own ignore rules hide: the snapshot holds them. */
  readonly files: readonly Change[];
}

async function clearSurveyed(attempt: OpenAttempt, survey: Survey): Promise<Cleared> {
  const notices = [
    ...survey.huge.map((path) => setAside(attempt, path, 'which is larger than max_file')),
    ...survey.unreadable.map((path) =>
      unlockFile(attempt, path)
        ? `${toShown(path)} could not be read: its mode is put back`
        : setAside(attempt, path, 'which cannot be read'),
    ),
    ...survey.repositories.map((path) => setAside(attempt, path, 'a repository of its own')),
  ];
  const hidden = await clearHidden(attempt, survey);
  return {
    notices: [...notices, ...hidden.notices],
    mustLookAgain: notices.length > 0,
    files: hidden.files,
  };
}

/** What the attempt hid by new ignore rules would stay behind: single files go into the snapshot, whole folders are set aside. */
async function clearHidden(
  attempt: OpenAttempt,
  { newlyIgnored }: Survey,
): Promise<Pick<Cleared, 'files' | 'notices'>> {
  const why = 'which the attempt made git ignore';
  const files = newlyIgnored.filter(({ isFolder }) => !isFolder).map(({ path }) => path);
  const holdable = files.filter((path) => canHold(attempt, path));
  const notices = files
    .filter((path) => !holdable.includes(path))
    .map((path) => setAside(attempt, path, why));
  for (const { path, isFolder } of newlyIgnored)
    if (isFolder) notices.push(...(await clearFolder(attempt, path, why)));
  return { files: holdable.map((path): Change => ({ path, status: 'A' })), notices };
}

function canHold({ repository, record }: OpenAttempt, path: ByteName): boolean {
  const absolute = `${repository.top}/${path}`;
  const stat = statOf(absolute);
  if (stat?.isSymbolicLink() === true) return true;
  return stat?.isFile() === true && stat.size <= record.maxFile && isReadable(absolute);
}

async function clearFolder(
  attempt: OpenAttempt,
  folder: ByteName,
  why: string,
): Promise<readonly string[]> {
  const { top } = attempt.repository;
  const isFile = (path: ByteName): boolean => statOf(path)?.isDirectory() === false;
  const files = pathsBelow(`${top}/${folder}`).filter(isFile);
  const below = files.map((path) => path.slice(top.length + 1));
  const then = await ignoredAtBegin(attempt, below);
  if (then.size === 0 && !holdsTracked(attempt, folder)) return [setAside(attempt, folder, why)];
  return below.filter((path) => !then.has(path)).map((path) => setAside(attempt, path, why));
}
