import { toPath } from './byte-name.ts';
import type { LineEnds } from './line-ends.ts';
import type { OpenAttempt } from './open-attempt.ts';

/**
 * An attempt that only changed line ends changed nothing in git's eyes, so no tree switch undoes it: such files are set aside
 * and checked out anew. To be called when the index matches where the attempt began.
 */
export async function restoreLineEnds(
  { repository, record, quarantine }: OpenAttempt,
  lineEnds: LineEnds,
  index: string,
): Promise<void> {
  const known = new Set(record.rawFiles.map(([path]) => path));
  const bent = (await lineEnds.unfaithfulNow(index)).filter((path) => !known.has(path));
  if (bent.length === 0) return;
  for (const path of bent) quarantine.take(`${repository.top}/${path}`, 'raw', path);
  const input = toPath(bent.map((path) => `${path}\0`).join(''));
  await repository.git.run(['checkout-index', '-u', '-z', '--stdin'], { index, input });
}
