import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { NamedProcess } from './end-target.ts';
import { commandOf } from './process-table.ts';

/**
 * Living processes of a program whose current directory lies in one of the folders (absolute, without links). Only Linux shows
 * it without a tool that may be missing; elsewhere, and of other users' processes, none is found.
 */
export function findRunningIn(
  program: string,
  folders: readonly string[],
): readonly NamedProcess[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isIn(pid, program, folders))
    .map((pid) => ({ pid, command: commandOf(pid) }));
}

function isIn(pid: number, program: string, folders: readonly string[]): boolean {
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd() !== program) return false;
    const where = readlinkSync(`/proc/${pid}/cwd`);
    return folders.some((folder) => where === folder || where.startsWith(`${folder}/`));
  } catch {
    // It ended meanwhile, or is another user's.
    return false;
  }
}
