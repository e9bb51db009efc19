import { toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { changeJudge, compareProtected, isJudge, watchProtected } from './protect.ts';
import { isIgnored } from './status.ts';
import type { StatusLine } from './status.ts';

/** Moves what is new among the gates and no tree of git holds into quarantine: a gate could read it. Gives it in words. */
export function setPlantedAside(
  { repository, quarantine }: OpenAttempt,
  planted: readonly ByteName[],
): readonly string[] {
  return planted.map((name) => {
    const where = quarantine.take(`${repository.top}/${name}`, 'ignored', name);
    return `${toShown(name)} is new among the gates and ignored by git: set aside, ${where}`;
  });
}

/** Files among the gates that were not there when the attempt began; of an attempt that was not inspected they would judge the next. */
export function plantedFiles({ repository, record }: OpenAttempt): readonly ByteName[] {
  const known = new Set(record.protectedFiles.map(([path]) => path));
  const now = watchProtected(repository.top, [], { files: [], folders: [] });
  return now.map(([path]) => path).filter((path) => isJudge(path) && !known.has(path));
}

/** Ignored files that an attempt made where `protect` does not allow it: the next one would pass with them. */
export function protectedMade(
  { repository, record }: OpenAttempt,
  lines: readonly StatusLine[],
): readonly ByteName[] {
  const { guarding } = record;
  if (guarding === undefined) return [];
  const ignored = lines.filter(isIgnored);
  const pathsOf = (isFolder: boolean): readonly ByteName[] =>
    ignored.filter((line) => line.isFolder === isFolder).map(({ path }) => path);
  const now = watchProtected(repository.top, [...guarding.protect, ...guarding.judges], {
    files: pathsOf(false),
    folders: [...record.ignoredFolders, ...pathsOf(true)],
  });
  const known = new Set(record.protectedFiles.map(([path]) => path));
  const { tampered } = compareProtected(record.protectedFiles, now, changeJudge(guarding));
  return tampered.filter((path) => !known.has(path));
}

export function setMadeAside(
  { repository, quarantine }: OpenAttempt,
  made: readonly ByteName[],
): readonly string[] {
  return made.map((path) => {
    const where = quarantine.take(`${repository.top}/${path}`, 'ignored', path);
    return `${toShown(path)}, which is protected and which git ignores, is new: set aside, ${where}`;
  });
}
