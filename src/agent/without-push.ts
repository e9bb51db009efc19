import { rm } from 'node:fs/promises';
import { writeAnew } from '../exec/write-anew.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent needs for signing in elsewhere as the user, and for pushing. */
const agentsOfSsh: ReadonlySet<string> = new Set(['SSH_AUTH_SOCK', 'SSH_AGENT_PID']);

export interface WithoutPush {
  readonly env: Environment;
  /** Takes the configuration's file away again: remotes' addresses may hold passwords. */
  readonly close: () => Promise<void>;
}

/**
 * The environment of an agent that does not push: no SSH agent, and git reads `settings` (see `pushOffConfig`) as the system's
 * configuration, from a file at `path` that only we can read.
 */
export async function withoutPush(
  env: Environment,
  settings: string | undefined,
  path: string,
): Promise<WithoutPush> {
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !agentsOfSsh.has(name)));
  if (settings === undefined) return { env: rest, close: () => Promise.resolve() };
  await writeAnew(path, settings);
  const { GIT_CONFIG_NOSYSTEM: _, ...others } = rest;
  return {
    env: { ...others, GIT_CONFIG_SYSTEM: path },
    close: () => rm(path, { force: true }),
  };
}
