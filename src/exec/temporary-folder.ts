import { rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../ports.ts';
import { makeOwnFolder } from './own-folders.ts';

/** More than a step's input and its FIFO need, in bytes: a disk that has not even this is full. */
const wanted = 64 * 2 ** 10;

/**
 * Throws Refusal(3) where nothing can be made in the temporary folder (`TMPDIR`), and Refusal with the status `full` where
 * there is no room left: steps, clean worktrees and clones are made there, and a run should not begin without it.
 */
export function assertTemporary(full: 3 | 4 = 4): void {
  const folder = makeTemporary('skeleton-try-', { shut: 3, full });
  try {
    writeFileSync(join(folder, 'room'), Buffer.alloc(wanted));
  } catch (error) {
    throw explainTemporary(error, { shut: 3, full });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The exit statuses of what can be wrong with the folder. */
interface Statuses {
  readonly shut: 3 | 4;
  readonly full: 3 | 4;
}

const midway: Statuses = { shut: 4, full: 4 };

/** A new folder of ours in the temporary folder; absolute. Throws Refusal, which names the folder and what mends it. */
export function makeTemporary(prefix: string, statuses: Statuses = midway): string {
  try {
    return makeOwnFolder(tmpdir(), prefix);
  } catch (error) {
    throw explainTemporary(error, statuses);
  }
}

/** What a failure in the temporary folder means for a person. What is no such failure is given back. */
export function explainTemporary(error: unknown, { shut, full }: Statuses = midway): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const folder = tmpdir();
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT')
    return new Refusal(
      full,
      `no space left in the temporary folder ${folder} (${error.code})`,
      `df -h ${quoted}\nfree space there, or set TMPDIR to a folder with room; then the same command again`,
    );
  if (statSync(folder, { throwIfNoEntry: false }) === undefined)
    return new Refusal(
      shut,
      `the temporary folder ${folder} is not there`,
      `mkdir -p ${quoted}     or set TMPDIR to a folder that is there`,
    );
  return new Refusal(
    shut,
    `nothing can be made in the temporary folder ${folder} (${String(error.code)})`,
    `ls -ld ${quoted}     then set TMPDIR to a folder that you may write`,
  );
}
