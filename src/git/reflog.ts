import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { readRegular, statOf } from './raw-files.ts';
import { missingObjects } from './objects.ts';
import type { Repository } from './located-repository.ts';

export function headLog({ gitDir }: Repository): ByteName {
  return `${gitDir}/logs/HEAD`;
}

export interface ReflogEntry {
  readonly to: string;
  /** The committer's date, in milliseconds since 1970; whole seconds. */
  readonly at: number;
  readonly message: ByteName;
}

/** `OLD NEW NAME <MAIL> TIME ZONE<TAB>MESSAGE`. */
const line = /^[0-9a-f]{40,} ([0-9a-f]{40,}) [^\t]*?(?: (\d+) [-+]\d+)?(?:\t(.*))?$/;

export function parseReflog(text: string): readonly ReflogEntry[] {
  return text.split('\n').flatMap((entry) => {
    const [, to = '', seconds = '0', message = ''] = line.exec(entry) ?? [];
    return to === '' ? [] : [{ to, at: Number(seconds) * 1000, message }];
  });
}

/**
 * Commits that HEAD stood at during the attempt and that neither the base nor `known` contain: an agent that commits and then
 * resets leaves them to the reflog alone, which forgets.
 */
export async function reflogTips(
  { repository, record }: Pick<OpenAttempt, 'repository' | 'record'>,
  known: readonly string[],
): Promise<readonly string[]> {
  const size = statOf(headLog(repository))?.size ?? 0;
  if (size <= record.reflog) return [];
  const text = readRegular(headLog(repository))?.subarray(record.reflog).toString('latin1') ?? '';
  const seen = parseReflog(text)
    .filter(({ to, message }) => !/^0+$/.test(to) && !message.startsWith('skeleton: '))
    .map(({ to }) => to);
  const skip = new Set([record.base, ...known]);
  const fresh = [...new Set(seen)].filter((id) => !skip.has(id));
  if (fresh.length === 0) return [];
  const gone = await missingObjects(repository, fresh);
  const there = fresh.filter((id) => !gone.has(id));
  return there.length === 0 ? [] : independent(repository, there, [...skip]);
}

async function independent(
  { git }: Repository,
  tips: readonly string[],
  known: readonly string[],
): Promise<readonly string[]> {
  const all = [...tips, ...known];
  const out = await git.run(['merge-base', '--independent', ...all]);
  const apart = new Set(out.toString('latin1').split('\n'));
  return tips.filter((tip) => apart.has(tip));
}
