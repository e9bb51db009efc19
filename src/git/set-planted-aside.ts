import { toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { isJudge, watchProtected } from './protect.ts';

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
