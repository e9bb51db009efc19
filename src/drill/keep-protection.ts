import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readProjectConfig } from '../core/config/read-config.ts';

const name = '.skeleton.yml';

/**
 * Leaves of the clone's `.skeleton.yml` what says which paths are protected. How the user's own runs go (a branch, limits,
 * agents, gates) is not what a drill tries, and would stop its runs.
 */
export async function keepProtection(top: string): Promise<void> {
  const path = join(top, name);
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined) return;
  const kept = stat.isFile() ? protectionIn(await readFile(path)) : undefined;
  await rm(path, { recursive: true, force: true });
  if (kept !== undefined) await writeFile(path, kept);
}

/** Undefined where the file says nothing about it; what is not valid in it is left out. */
export function protectionIn(bytes: Uint8Array): string | undefined {
  const { protect, protectNew, tests } = readProjectConfig(bytes, name).config;
  const kept = { protect, protect_new: protectNew, tests };
  const lines = Object.entries(kept)
    .filter(([, value]) => value !== undefined)
    // What is JSON is YAML.
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return lines.length === 0 ? undefined : lines.join('');
}
