import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { markOf } from './ledger-file.ts';

const nameOf = (path: string): string => `${path}-vouched`;

/**
 * Whether the ledger's file is, to the nanosecond, what the last run left that had looked at all of it and closed it: then
 * nobody has to look again. Throws as `markOf`.
 */
export function isVouched(path: string): boolean {
  const { state, stamp } = markOf(path);
  return state === 'quiet' && readNote(nameOf(path)) === stamp;
}

/** To be called by who has read all of it, once it is closed. */
export function vouch(path: string): void {
  try {
    const { state, stamp } = markOf(path);
    rmSync(nameOf(path), { force: true });
    if (state === 'quiet') writeFileSync(nameOf(path), stamp, { flag: 'wx', mode: 0o600 });
  } catch {
    // Then the next one looks at all of it again.
  }
}

/** An agent may have put anything there: opened only if it is a file. */
function readNote(path: string): string | undefined {
  try {
    if (!lstatSync(path).isFile()) return undefined;
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
