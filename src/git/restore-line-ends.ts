import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { LineEnds } from './line-ends.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { compareThing, putThing } from './things.ts';

/**
 * Gives files back the exact bytes that a checkout does not: those that lay there with other line ends than git would write,
 * and those whose line ends are all that the attempt changed, which is nothing in git's eyes. To be called when the index
 * matches where the attempt began.
 */
export async function restoreLineEnds(
  attempt: OpenAttempt,
  lineEnds: LineEnds,
  index: string,
): Promise<void> {
  const { repository, record, quarantine } = attempt;
  if (!record.converts) return;
  const known = new Set(record.rawFiles.map(([path]) => path));
  const bent = (await lineEnds.unfaithfulNow(index)).filter((path) => !known.has(path));
  for (const path of bent) quarantine.take(`${repository.top}/${path}`, 'raw', path);
  const call = (paths: readonly ByteName[]) =>
    ({ index, input: toPath(paths.map((path) => `${path}\0`).join('')) }) as const;
  if (bent.length > 0)
    await repository.git.run(['checkout-index', '-u', '-z', '--stdin'], call(bent));
  const restored = restoreRawFiles(attempt);
  // Git would call them changed: their size is not what it wrote.
  if (restored.length > 0)
    await repository.git.run(['update-index', '-z', '--stdin'], call(restored));
}

/** Gives the paths that it wrote. */
function restoreRawFiles({ repository, record, quarantine }: OpenAttempt): readonly ByteName[] {
  const restored: ByteName[] = [];
  for (const [path, thing] of record.rawFiles) {
    const absolute = `${repository.top}/${path}`;
    const difference = compareThing(absolute, thing);
    if (difference === 'same') continue;
    if (difference === 'other') quarantine.take(absolute, 'raw', path);
    putThing(absolute, thing, record.bytesOf);
    restored.push(path);
  }
  return restored;
}
