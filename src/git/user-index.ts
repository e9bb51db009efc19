import { toByteName } from './byte-name.ts';
import { clearFlags, putFlags, readFlags } from './flags.ts';
import type { Flags } from './flags.ts';
import { installIndex, readIndex, useIndex } from './private-index.ts';
import { entriesOf } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import { trackedPaths } from './tracked-paths.ts';

export interface Copied {
  /** Path of our index. */
  readonly index: string;
  /** Flags that the user has set and the copy has not. */
  readonly flags: Flags;
  readonly bytes: Buffer;
}

/** Our copy of the user's index, in which every file counts. The copy keeps the stat data: without it all files are read again. */
export async function copyUserIndex(
  repository: Repository,
  name: 'index' | 'other',
): Promise<Copied> {
  const content = readIndex(`${repository.gitDir}/index`);
  const index = useIndex(repository, content, name);
  if (content === undefined)
    return { index, flags: { skip: [], assume: [] }, bytes: Buffer.alloc(0) };
  const isSplit = entriesOf(repository.gitDir)?.some((e) => e.name.startsWith('sharedindex.'));
  if (isSplit === true) await repository.git.run(['update-index', '--no-split-index'], { index });
  const whole = isSplit === true ? readIndex(toByteName(index))?.bytes : content.bytes;
  const flags = readFlags(whole ?? content.bytes, repository);
  await clearFlags(repository, index, flags);
  return { index, flags, bytes: content.bytes };
}

/** Makes an index of ours the user's, with the flags that the user had set where those files still are. */
export async function giveToUser(
  repository: Repository,
  index: string,
  flags: Flags,
): Promise<void> {
  const ours = readIndex(toByteName(index));
  if (ours === undefined) throw new Error(`our index ${index} is gone`);
  if (flags.skip.length + flags.assume.length === 0) return installIndex(repository, ours);
  const copy = useIndex(repository, ours, 'other');
  await putFlags(repository, copy, onlyTracked(flags, ours.bytes, repository));
  const flagged = readIndex(toByteName(copy));
  if (flagged !== undefined) await installIndex(repository, flagged);
}

function onlyTracked(flags: Flags, bytes: Buffer, repository: Repository): Flags {
  const tracked = trackedPaths(bytes, repository);
  return {
    skip: flags.skip.filter((path) => tracked.has(path)),
    assume: flags.assume.filter((path) => tracked.has(path)),
  };
}
