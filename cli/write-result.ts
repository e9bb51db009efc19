import { randomBytes } from 'node:crypto';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { full, worn } from '../src/core/machine-conditions.ts';
import { oneLine } from '../src/core/text.ts';
import { Refusal } from '../src/index.ts';
import { shellWord } from '../src/report/shell-word.ts';
import { modeOfReplaceable } from './replaceable.ts';

/**
 * Writes a file that a person named, whole: a reader sees what was there before, or all of the new text. Only a report of ours
 * and an empty file are replaced, and keep their mode. Throws Refusal(2) for all else that may be there (replaceable.ts) and
 * where the file system says no, Refusal(4) where the machine has no room.
 */
export async function writeResult(path: string, text: string): Promise<void> {
  if (path === '/dev/null') return;
  const beside = join(dirname(path), `.skeleton-${randomBytes(8).toString('hex')}`);
  try {
    const mode = await modeOfReplaceable(path);
    await writeFile(beside, text, { flag: 'wx', mode: mode ?? 0o666 });
    if (mode !== undefined) await chmod(beside, mode);
    // Once more: somebody may have put something there meanwhile.
    await modeOfReplaceable(path);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw refusalOf(error, path);
  }
}

function refusalOf(error: unknown, path: string): unknown {
  if (error instanceof Refusal || !(error instanceof Error) || !('code' in error)) return error;
  const { code, message } = error;
  const folder = dirname(path);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new Refusal(
      2,
      `--output ${path}: there is no folder ${folder}`,
      `mkdir -p ${shellWord(folder)}`,
    );
  const what = `--output ${path} cannot be written: ${oneLine(message)}`;
  if (full.has(code) || worn.has(code))
    return new Refusal(4, what, `df -h ${shellWord(folder)}; ulimit -f     or name another file`);
  return new Refusal(2, what, `namei -l ${shellWord(path)}     or name another file`);
}
