import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * The bytes of a regular file, also behind a link; undefined for anything else, such as a pipe, which is not waited for.
 * Throws where nothing is there, or it may not be read.
 */
export function readPlainFile(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}
