import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Bytes of a log that are shown; of a larger one the report has the lines that matter, and its path. */
const MOST_BYTES = 512 * 1024;

/**
 * A file as text if it is there, regular and at most 512 KiB; else undefined. An agent may have put a link, a pipe or a
 * device in its place: none of them is followed or waited for.
 */
export async function readSmallFile(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const facts = await file.stat();
    return facts.isFile() && facts.size <= MOST_BYTES ? await file.readFile('utf8') : undefined;
  } finally {
    await file.close();
  }
}
