import { Refusal } from '../ports.ts';
import { toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { isAlone, isCommon } from './company.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { statOf } from './raw-files.ts';
import { refsStillMoved } from './refs-guard.ts';
import { protectedMade, setMadeAside } from './set-planted-aside.ts';
import type { AttemptRecord } from './record.ts';
import { isChanged, isIgnored, isUntracked, readStatus } from './status.ts';
import type { StatusLine } from './status.ts';
import { compareThing } from './things.ts';

/**
 * Facts after a rollback: throws Refusal(4), naming them, where something is not as it was where the attempt began. Gives in
 * words what is new and stays, because git ignores it; what of that is protected goes to quarantine.
 */
export async function compareGround(
  attempt: OpenAttempt,
  index: string,
): Promise<readonly string[]> {
  const { repository, record } = attempt;
  const lines = await readStatus(repository.git, index);
  const inTree = lines.filter((line) => isChanged(line) || isUntracked(line)).map((l) => l.path);
  const others = [...record.ignored, ...record.rawFiles]
    .filter(([path, thing]) => compareThing(`${repository.top}/${path}`, thing) !== 'same')
    .map(([path]) => path);
  // What is common to work trees in which other agents are at work is put back again when they end.
  const isOpen = (path: ByteName): boolean =>
    !isAlone(repository) && isCommon(repository.commonDir, path);
  const guarded = record.guarded.filter(
    ([path, thing]) => !isOpen(path) && compareThing(path, thing) !== 'same',
  );
  refuseEmptied(attempt);
  const names = [
    ...[...inTree, ...others, ...guarded.map(([path]) => path)].map(toShown),
    ...(await refsStillMoved(attempt)),
  ];
  if (names.length === 0) {
    const made = protectedMade(attempt, lines);
    const staying = lines.filter(({ path }) => !made.includes(path));
    return [...setMadeAside(attempt, made), ...describeNew(record, staying)];
  }
  throw new Refusal(
    4,
    `rolled back, but not as it was where the attempt began: ${names.slice(0, 10).join(', ')}`,
    'git status; git diff; then run again',
  );
}

/** Caches make gates fast, so new ignored files stay; told by their top folder. */
function describeNew(record: AttemptRecord, lines: readonly StatusLine[]): readonly string[] {
  const known = new Set([
    ...record.ignoredFolders,
    ...[...record.ignored, ...record.ignoredOthers].map(([path]) => path),
  ]);
  const added = lines.filter((line) => isIgnored(line) && !known.has(line.path));
  if (added.length === 0) return [];
  const tops = new Set(added.map(({ path }) => toShown(path.split('/')[0] ?? path)));
  return [`ignored by git, new, and left there: ${[...tops].join(', ')}`];
}

/** A rollback gives a submodule its folder, not what was checked out there: that is in no repository of ours. */
function refuseEmptied({ repository, record }: OpenAttempt): void {
  const emptied = record.repositories.filter(
    (path) => statOf(`${repository.top}/${path}/.git`) === undefined,
  );
  if (emptied.length === 0) return;
  const paths = emptied.map((path) => `'${toShown(path)}'`).join(' ');
  throw new Refusal(
    4,
    `rolled back, but what was checked out in ${emptied.map(toShown).join(', ')} is gone: the attempt removed it`,
    `git submodule update --init -- ${paths}; then run again`,
  );
}
