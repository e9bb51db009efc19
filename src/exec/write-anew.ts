import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeLogFolder } from './make-log-folder.ts';

/** Writes a file beside a step's log (mode 0600): what was at the path is replaced, never written through, whatever an agent planted there. */
export async function writeAnew(path: string, text: string): Promise<void> {
  makeLogFolder(dirname(path));
  await rm(path, { force: true });
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
}
