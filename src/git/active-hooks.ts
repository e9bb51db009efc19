import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Repository } from './located-repository.ts';

/** Hooks that a commit or tag by hand would run, and a checkpoint does not (githooks(5)). */
const ofCommits = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push'];

/** Names of the hooks that are installed and executable, where the user's own configuration looks for them. */
export async function activeHooks(repository: Repository): Promise<readonly string[]> {
  const folder = await hooksFolder(repository);
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const active: string[] = [];
  for (const name of ofCommits.filter((hook) => names.includes(hook)))
    if (await isExecutable(join(folder, name))) active.push(name);
  return active;
}

/** Asked scope by scope: our own calls set `core.hooksPath` themselves. */
async function hooksFolder({ git, facts }: Repository): Promise<string> {
  for (const scope of ['--worktree', '--local', '--global', '--system']) {
    const args = ['config', scope, '--type=path', '--get', 'core.hooksPath'];
    const { code, stdout } = await git.ask(args, { answers: [1, 128] });
    if (code === 0) return resolve(facts.top, stdout.toString().replace(/\n$/, ''));
  }
  return join(facts.commonDir, 'hooks');
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
