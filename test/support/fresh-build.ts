import { spawnSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';

/**
 * Builds dist/ before tests that run the command, if a source is newer. Throws in e2e where it does not compile;
 * integration tests that import sources go on, so that one room can be worked on while another is being rebuilt.
 */
export function setup(project: TestProject): void {
  const build = ['scripts/build.mjs', '--if-stale'];
  const { status, stdout } = spawnSync(process.execPath, build, { encoding: 'utf8' });
  if (status === 0) return;
  const problem = `dist/ is out of date, and npm run build fails:\n${stdout}`;
  if (project.name === 'e2e') throw new Error(problem);
  console.error(problem);
}
