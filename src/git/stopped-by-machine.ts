import { CommandFailure } from '../exec/run-command.ts';
import { Refusal } from '../ports.ts';
import { GitError } from './git.ts';
import { errorCode } from './raw-files.ts';

/** Of node:fs: full, read-only, broken or closed to us (errno(3)). */
const conditions = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM', 'EMFILE']);

/**
 * A call that a condition of the machine may stop (a full disk, a git that dies) throws Refusal(4) for it: nothing was
 * destroyed, and the next run goes on from there. Anything else is a bug of ours and thrown as it is.
 */
export function stoppedByMachine<A extends readonly unknown[], T>(
  call: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  return async (...args) => {
    try {
      return await call(...args);
    } catch (error) {
      if (!isCondition(error)) throw error;
      const words = `what the attempt left is still there, but cannot be kept or rolled back: ${error.message}`;
      throw new Refusal(4, words, 'df -h .; git status; then run again');
    }
  };
}

function isCondition(error: unknown): error is Error {
  if (error instanceof GitError || error instanceof CommandFailure) return true;
  return error instanceof Error && conditions.has(errorCode(error) ?? '');
}
