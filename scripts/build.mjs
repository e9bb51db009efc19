/**
 * Compiles cli/ and src/ into dist/, bundles the command and makes it executable.
 *   --if-stale     only if a source is newer than what was built
 *   --if-possible  without the compiler (an install that leaves out development dependencies) say so and succeed
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const command = join(dist, 'cli', 'main.js');
const sources = ['cli', 'src', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];

process.exitCode = await build(new Set(process.argv.slice(2)));

async function build(options) {
  if (options.has('--if-stale') && !isStale()) return 0;
  const compiler = findCompiler();
  if (compiler === undefined) {
    console.error('build: typescript is not installed, so dist/ was not made: run npm ci');
    return options.has('--if-possible') ? 0 : 1;
  }
  const fresh = join(dist, `.new-${process.pid}`);
  try {
    return await buildBy(compiler, fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Beside what is there, which stays as it was, and so stale, if this fails, and is whole while commands run. */
async function buildBy(compiler, fresh) {
  const compiled = join(fresh, 'compiled');
  const args = [compiler, '--project', 'tsconfig.build.json', '--noEmitOnError'];
  const options = { cwd: root, stdio: 'inherit' };
  const { status } = spawnSync(process.execPath, [...args, '--outDir', compiled], options);
  if (status !== 0) return status ?? 1;
  const { bundleCommand } = await import('./bundle.mjs');
  await bundleCommand({ compiled, dir: join(fresh, 'cli') });
  chmodSync(join(fresh, 'cli', 'main.js'), 0o755);
  replace(join(dist, 'src'), join(compiled, 'src'), fresh);
  replace(join(dist, 'cli'), join(fresh, 'cli'), fresh);
  return 0;
}

function replace(place, by, aside) {
  if (existsSync(place)) renameSync(place, join(aside, `old-${basename(place)}`));
  renameSync(by, place);
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
