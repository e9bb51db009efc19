import { realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { sep } from 'node:path';
import { runCommand } from '../exec/run-command.ts';
import { makeTemporary } from '../exec/temporary-folder.ts';
import { Refusal } from '../ports.ts';

const LIMIT = 30_000;

/**
 * Does a piece of work in an empty repository outside of a work tree; some agents work in no other folder. It goes however
 * that ends. Throws Refusal(3) where the temporary folder lies inside the work tree.
 */
export async function withEmptyRepository<T>(
  top: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const temporary = realpathSync(tmpdir());
  if (`${temporary}${sep}`.startsWith(`${realpathSync(top)}${sep}`))
    throw new Refusal(
      3,
      `the temporary folder ${temporary} lies inside the work tree, where no agent is to draft`,
      'TMPDIR=/tmp skeleton plan DOC',
    );
  const folder = makeTemporary('skeleton-plan-', { shut: 3, full: 3 });
  try {
    await makeRepository(folder);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeRepository(cwd: string): Promise<void> {
  const { PATH = '' } = process.env;
  const env = {
    PATH,
    HOME: cwd,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const args = ['init', '--quiet', '--template='];
  const end = await runCommand({ file: 'git', args, cwd, env, timeoutMs: LIMIT });
  if (end.code !== 0) throw new Error(`git init failed: ${end.stderr.trim()}`);
}
