/**
 * Compiles cli/ and src/ into dist/ and makes the command executable.
 *   --if-stale     only if a source is newer than what was built
 *   --if-possible  without the compiler (an install that leaves out development dependencies) say so and succeed
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const command = join(root, 'dist', 'cli', 'main.js');
const sources = ['cli', 'src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];

process.exitCode = build(new Set(process.argv.slice(2)));

function build(options) {
  if (options.has('--if-stale') && !isStale()) return 0;
  const compiler = findCompiler();
  if (compiler === undefined) {
    console.error('build: typescript is not installed, so dist/ was not made: run npm ci');
    return options.has('--if-possible') ? 0 : 1;
  }
  // With --noEmitOnError a failed build leaves dist/ as old as it was, and so stale.
  const args = [compiler, '--project', 'tsconfig.build.json', '--noEmitOnError'];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status === 0) chmodSync(command, 0o755);
  return status ?? 1;
}

function findCompiler() {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc');
  } catch {
    return undefined;
  }
}

function isStale() {
  if (!existsSync(command)) return true;
  const built = statSync(command).mtimeMs;
  return sources.some((source) => newest(join(root, source)) > built);
}

/** Milliseconds of the newest change in a file or folder; a folder's own time tells that a file is gone. */
function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
