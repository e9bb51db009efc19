import { readUserConfig, type Environment } from '../compose.ts';
import { readProjectConfig } from '../core/config.ts';

/** The git remote that the user's own file names for machines that share a ledger. */
export function remoteOfUser(env: Environment): string | undefined {
  const file = readUserConfig(env);
  return file === undefined ? undefined : readProjectConfig(file.bytes, file.path).config.remote;
}
