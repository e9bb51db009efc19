import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The built command. */
export const skeleton: string = resolve('dist/cli/main.js');

export interface Ended {
  /** 128 and more would be a signal that was not caught: then it is null. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** For the environment of a command: it comes by these windows and ends with SIGKILL in the last (test/support/failpoint.mjs). */
export function killedIn(...windows: readonly string[]): NodeJS.ProcessEnv {
  const module = pathToFileURL(resolve('test/support/failpoint.mjs')).href;
  return { FAILPOINT_NAMES: windows.join(' > '), NODE_OPTIONS: `--import=${module}` };
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** A folder of a person who uses the command: a repository, unless it is asked to be none, and a place outside it. */
export interface UserRepository {
  readonly top: string;
  /** Outside the repository. */
  readonly outside: string;
  /** Writes a file in the repository; a script (`#!`) is made executable. */
  readonly write: (path: string, text: string) => string;
  /** An agent that lies outside; gives the command that calls it. */
  readonly agent: (script: string) => string;
  readonly git: (...args: readonly string[]) => string;
  readonly start: (args: readonly string[], env?: NodeJS.ProcessEnv) => Started;
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** Keeps all of it, what lies outside too, as it is now; the result puts that back, at the same place. */
  readonly keep: () => () => void;
  readonly remove: () => void;
}

export function makeUserRepository(kind: 'committed' | 'none' = 'committed'): UserRepository {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "a user's folder ")));
  const top = join(folder, 'my project');
  const outside = join(folder, 'outside');
  for (const made of [top, outside]) mkdirSync(made);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: top,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  const write = (path: string, text: string): string => writeIn(top, path, text);
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Started =>
    startIn(top, args, env);
  if (kind === 'committed') {
    git('init', '--quiet', '--initial-branch=main');
    write('README.md', 'hello\n');
    git('add', '--all');
    git('commit', '--quiet', '--message=first commit');
  }
  return {
    top,
    outside,
    write,
    agent: (script) =>
      `sh '${writeIn(outside, 'agent.sh', script).replaceAll("'", String.raw`'\''`)}'`,
    git,
    start,
    run: (...args) => start(args).ended,
    keep: () => keep(folder),
    remove: () => {
      for (const made of [folder, keptFolder(folder)]) empty(made);
    },
  };
}

function keep(folder: string): () => void {
  const kept = keptFolder(folder);
  copy(folder, kept);
  return () => copy(kept, folder);
}

function keptFolder(folder: string): string {
  return `${folder} kept`;
}

/** With times, modes and links. */
function copy(from: string, to: string): void {
  empty(to);
  execFileSync('cp', ['-a', from, to]);
}

function empty(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function writeIn(folder: string, path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (text.startsWith('#!')) chmodSync(file, 0o755);
  return file;
}

/** The command in any folder. */
export function startIn(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const child = spawn(process.execPath, [skeleton, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail);
    child.once('close', (status) => done({ status, ...output }));
  });
  return { child, ended };
}
