import { runCommand } from '../exec/run-command.ts';

/** A repository of the demo's own. */
export interface ScratchRepository {
  /** Absolute. */
  readonly folder: string;
  /** What `git log --oneline --decorate` prints. */
  readonly log: () => Promise<string>;
}

/** Its own settings, so that it is the same for everybody: no identity is needed, and no ignore list or line-end rule gets in. */
const settings = [
  ['user.name', 'skeleton demo'],
  ['user.email', 'demo@example.invalid'],
  ['core.autocrlf', 'false'],
  ['core.excludesFile', '/dev/null'],
] as const;

/** Makes the folder, with the files that lie in it, a repository with one commit on `main`. Throws where git fails. */
export async function makeScratchRepository(folder: string): Promise<ScratchRepository> {
  // Without a template: no hook of the user's. An older git has no `init -b`.
  await git(folder, ['init', '--quiet', '--template=']);
  await git(folder, ['symbolic-ref', 'HEAD', 'refs/heads/main']);
  for (const [key, value] of settings) await git(folder, ['config', key, value]);
  await git(folder, ['add', '--all']);
  await git(folder, ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '-m', 'A small library']);
  return { folder, log: () => git(folder, ['log', '--oneline', '--decorate']) };
}

const TIMEOUT_MS = 30_000;

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const result = await runCommand({ file: 'git', args, cwd, env, timeoutMs: TIMEOUT_MS });
  if (result.code !== 0) throw new Error(`git ${args.join(' ')} failed: ${result.stderr.trim()}`);
  return result.stdout.toString('utf8').trimEnd();
}
