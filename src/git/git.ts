import { setTimeout as sleep } from 'node:timers/promises';
import type { SimpleGit } from 'simple-git';
import { runCommand } from '../exec/run-command.ts';
import type { CommandResult, CommandSpec } from '../exec/run-command.ts';
import { isInstalled } from '../exec/shell-program.ts';
import { Interrupted, Refusal } from '../ports.ts';
import { toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { noteCall } from './call-notes.ts';
import type { OpenNote } from './call-notes.ts';
import { closeIfHeld } from './close-if-held.ts';
import { gitEnvironment } from './git-environment.ts';
import { ownSettings } from './own-settings.ts';
import { currentStop, isStopped } from './stopping.ts';

/** Milliseconds. A call that reads or writes a whole big repository may take the longer. */
const usualLimit = 60_000;
const longLimit = 15 * 60_000;
const longCalls = new Set(['add', 'read-tree', 'status', 'update-index', 'write-tree']);

/** A git command that did not end as it should. Its own words are for people: never matched. */
export class GitError extends Error {
  readonly args: readonly string[];
  /** Null where a signal or the time limit ended it. */
  readonly code: number | null;
  readonly stderr: string;
  constructor(args: readonly string[], end: { code: number | null; stderr: string; how: string }) {
    const words = toShown(toByteName(end.stderr.trim().split('\n').slice(0, 3).join('; ')));
    super(`git ${args.slice(0, 3).join(' ')}: ${end.how}${words === '' ? '' : `: ${words}`}`);
    this.name = 'GitError';
    this.args = args;
    this.code = end.code;
    this.stderr = end.stderr;
  }
}

export interface GitCall {
  /** For standard input. */
  readonly input?: Uint8Array | string;
  /** Absolute path of the index to use. */
  readonly index?: string;
  /** Absolute; another folder as the work tree, which the call then runs in. */
  readonly workTree?: string;
  /** Exit statuses besides 0 that are an answer. */
  readonly answers?: readonly number[];
  /** Milliseconds, where the usual limit is too long. */
  readonly limit?: number;
  /** More `-c` settings. */
  readonly settings?: readonly string[];
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * The only door to git. Throws GitError where a command fails, CommandFailure where git cannot be started, Interrupted where
 * a stop ended it (see `stoppingWith`).
 */
export interface Git {
  /** The common git directory: the same for all work trees of a repository. */
  readonly store: string;
  run(args: readonly string[], call?: GitCall): Promise<Buffer>;
  /** As run, with the exit status, for commands that answer by it. */
  ask(args: readonly string[], call?: GitCall): Promise<GitAnswer>;
  /** For plain reads, where neither bytes nor standard input matter: through simple-git. */
  plain<T>(use: (git: SimpleGit) => PromiseLike<T>): Promise<T>;
}

export interface GitPlace {
  /** Absolute. */
  readonly top: string;
  readonly gitDir: string;
  /** Absolute path at which no file is: the index of calls that name none. Without it, that is the work tree's own. */
  readonly nowhere?: string;
  /** Our folder for the work tree, where calls that write are noted. */
  readonly state?: ByteName;
}

/**
 * Git for one work tree. Work tree and git directory are named in each call, so that no `core.worktree` that an agent has
 * written can lead us to another folder.
 */
export function openGit(place: GitPlace, environment: NodeJS.ProcessEnv): Git {
  const env = gitEnvironment(environment);
  const ask = (args: readonly string[], call: GitCall = {}): Promise<GitAnswer> =>
    askGit(args, call, { place, env });
  return {
    // gitrepository-layout(5): a linked work tree has its own in there.
    store: place.gitDir.replace(/\/worktrees\/[^/]+$/, ''),
    ask,
    run: async (args, call) => (await ask(args, call)).stdout,
    plain: (use) => usePlainGit({ folder: place.top, environment }, use),
  };
}

interface Setting {
  readonly place: GitPlace;
  readonly env: Readonly<Record<string, string>>;
}

async function askGit(
  args: readonly string[],
  call: GitCall,
  { place, env }: Setting,
): Promise<GitAnswer> {
  const note = noteCall({ ...place, args, index: call.index, input: call.input, env });
  const variables = { ...env, ...note?.variables, ...indexVariables(call.index, place) };
  const end = await runNoted(note, commandFor(args, call, { place, env: variables }));
  if (end.aborted) throw interrupted(args);
  const isAnswer = end.code === 0 || call.answers?.includes(end.code ?? -1) === true;
  if (isAnswer && end.code !== null && !end.timedOut) return { ...end, code: end.code };
  const code = end.timedOut ? null : end.code;
  throw new GitError(args, { code, stderr: end.stderr, how: describeEnd(end) });
}

function commandFor(args: readonly string[], call: GitCall, { place, env }: Setting): CommandSpec {
  const { workTree = place.top } = call;
  const config = [...ownSettings, ...(call.settings ?? [])].flatMap((setting) => ['-c', setting]);
  const signal = currentStop();
  return {
    file: 'git',
    args: [...config, `--git-dir=${place.gitDir}`, `--work-tree=${workTree}`, ...args],
    cwd: workTree,
    env,
    timeoutMs: call.limit ?? limitFor(args),
    ...(signal !== undefined && { signal }),
    ...(call.input !== undefined && { input: call.input }),
  };
}

/** A git that was killed leaves its locks: then the note stays, for the next start to find them by. */
async function runNoted(note: OpenNote | undefined, spec: CommandSpec): Promise<CommandResult> {
  let isWhole = false;
  try {
    const end = await runCommand(spec);
    isWhole = end.code !== null;
    return end;
  } finally {
    note?.close(isWhole);
  }
}

function interrupted(args: readonly string[]): Interrupted {
  return new Interrupted(`${['git', ...args.slice(0, 3)].join(' ')} was ended by the stop`);
}

function limitFor(args: readonly string[]): number {
  return args.some((arg) => longCalls.has(arg)) ? longLimit : usualLimit;
}

/** That git refreshes an index of ours saves it hashing again. */
function indexVariables(
  index: string | undefined,
  { nowhere }: GitPlace,
): Readonly<Record<string, string>> {
  if (index === undefined) return nowhere === undefined ? {} : { GIT_INDEX_FILE: nowhere };
  return { GIT_INDEX_FILE: index, GIT_OPTIONAL_LOCKS: '1' };
}

const tooLong = 'took too long and was ended';

function describeEnd({ code, signal, timedOut }: CommandResult): string {
  if (timedOut) return tooLong;
  return code === null ? `ended by ${signal ?? 'an unknown signal'}` : `exit ${code}`;
}

interface PlainPlace {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Milliseconds in which a signal to all of a terminal's processes has reached us too. */
const signalMs = 50;

/** Not started, ended by a signal or kept from starting: simple-git has no number, or one that is no exit status. */
function hasExited(failure: GitError | undefined): boolean {
  const code = failure?.code;
  return typeof code === 'number' && code >= 0 && code <= 255;
}

/** Throws Refusal(3) where PATH names no git. */
async function refuseNoGit(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (await isInstalled('git', { cwd: folder, env })) return;
  const mend = 'install git (git-scm.com/downloads), or put its folder on PATH';
  throw new Refusal(3, 'git is not installed: PATH names no folder with it', mend);
}

/** What simple-git warns of is ours to set, or the user's own environment. */
const allowed = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeSshCommand: true,
} as const;

/**
 * simple-git in a folder. It takes silence for success, whatever the exit status, and waits 50 ms after each command that
 * prints nothing; `errors` and `outputHandler` mend that. It also makes its own error of what went wrong: GitError is thrown.
 */
export async function usePlainGit<T>(
  { folder, environment }: PlainPlace,
  use: (git: SimpleGit) => PromiseLike<T>,
): Promise<T> {
  const { simpleGit } = await import('simple-git');
  const limit = AbortSignal.timeout(usualLimit);
  const env = gitEnvironment(environment);
  let failure: GitError | undefined;
  const git = simpleGit({
    baseDir: folder,
    maxConcurrentProcesses: 1,
    completion: { onClose: true, onExit: false },
    config: [...ownSettings],
    abort: AbortSignal.any([limit, currentStop() ?? limit]),
    allowEnvironment: Object.keys(env).filter((name) => name.startsWith('GIT_')),
    unsafe: allowed,
    errors: (error, { exitCode: code, stdErr }) => {
      if (code === 0) return error;
      const stderr = Buffer.concat(stdErr).toString();
      failure = new GitError([], { code, stderr, how: `exit ${code}` });
      return failure;
    },
  });
  const seesEnd = git.env({ ...env }).outputHandler((_, out, err) => {
    closeIfHeld([out, err]);
    setImmediate(() => out.emit('data', Buffer.alloc(0)));
  });
  try {
    return await use(seesEnd);
  } catch (error) {
    if (limit.aborted) throw new GitError([], { code: null, stderr: '', how: tooLong });
    if (hasExited(failure)) throw failure ?? error;
    await refuseNoGit(folder, env);
    // A Ctrl-C at the terminal reaches it as well as us, and perhaps sooner.
    await sleep(signalMs);
    throw isStopped() ? interrupted([]) : (failure ?? error);
  }
}
