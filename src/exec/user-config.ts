import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { shellWord } from '../core/shell-word.ts';
import { Refusal } from '../ports.ts';
import { readPlainFile } from './read-plain-file.ts';

/**
 * The user's own configuration, `$XDG_CONFIG_HOME/skeleton/config.yml`, maybe by a link; undefined where there is none. Throws
 * Refusal(2) where that is no regular file: a pipe would be waited for.
 */
export function readUserConfig(
  env: NodeJS.ProcessEnv,
): { readonly path: string; readonly bytes: Uint8Array } | undefined {
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  const folder = isAbsolute(xdg) ? xdg : join(env['HOME'] ?? homedir(), '.config');
  const path = join(folder, 'skeleton', 'config.yml');
  if (!existsSync(path)) return undefined;
  const bytes = readPlainFile(path);
  if (bytes === undefined)
    throw new Refusal(
      2,
      `${path} is no regular file`,
      `ls -lL ${shellWord(path)}     your own configuration is a plain file, or a link to one`,
    );
  return { path, bytes };
}
