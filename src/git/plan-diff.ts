import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../exec/run-command.ts';
import { makeTemporary } from '../exec/temporary-folder.ts';

const LIMIT = 60_000;

/** How two texts of one file differ, as `git diff` writes it (git-diff(1), "--no-index"); '' where they are the same. */
export async function diffTexts(path: string, before: string, after: string): Promise<string> {
  const folder = makeTemporary('skeleton-diff-');
  try {
    for (const [side, text] of [['a', before] as const, ['b', after] as const]) {
      const file = join(folder, side, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return await diffIn(folder, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function diffIn(cwd: string, path: string): Promise<string> {
  const { PATH = '' } = process.env;
  const env = {
    PATH,
    HOME: cwd,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const how = ['--no-index', '--no-color', '--no-ext-diff', '--no-prefix', '--text'];
  const args = ['-c', 'core.quotePath=false', 'diff', ...how, '--', `a/${path}`, `b/${path}`];
  const end = await runCommand({ file: 'git', args, cwd, env, timeoutMs: LIMIT });
  if (end.code === 0 || end.code === 1) return end.stdout.toString('utf8');
  throw new Error(`git diff failed: ${end.stderr.trim()}`);
}
