import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { defaultGraceMs } from './end-target.ts';
import { startLimitTimer } from './limit-timer.ts';
import { keepLast } from './output-record.ts';
import { endWithUs, letGo, signalGroup } from './end-with-us.ts';
import { explainSpawnFailure } from './spawn-failure.ts';
import type { SpawnAttempt, SpawnFailure } from './spawn-failure.ts';

const defaultMaxOutputBytes = 256 * 2 ** 20;
const keptErrorBytes = 64 * 2 ** 10;
/** How long the output may still be held open by somebody else after the exit. */
const drainMs = 250;
/** From TERM to KILL where a person waits for the end. */
const hurriedGraceMs = 1000;
/** A process that not even KILL ended within this time is given up. */
const killPatienceMs = 5000;

/** A short tool, such as git. */
export interface CommandSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** For standard input; without it, that is /dev/null. */
  readonly input?: Uint8Array | string;
  /** Milliseconds until its process group gets TERM, and 2 s later KILL. */
  readonly timeoutMs: number;
  /** Of standard output; 256 MiB unless given. */
  readonly maxOutputBytes?: number;
  /** Aborted, it ends the command as the time limit does, but with 1 s of grace; or keeps it from starting. */
  readonly signal?: AbortSignal;
  /** Called as soon as it runs. */
  readonly onSpawn?: (pid: number) => void;
}

/** What a command said and how it ended. */
export interface CommandResult {
  /** Null where a signal ended it, or nothing did. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** Its last 64 KiB, as UTF-8. */
  readonly stderr: string;
  readonly timedOut: boolean;
  /** The signal ended it, or kept it from starting. */
  readonly aborted: boolean;
}

/** A command that did not start, or said more than it may. */
export class CommandFailure extends Error {
  readonly kind: SpawnFailure['kind'] | 'too-much-output';
  constructor(kind: CommandFailure['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandFailure';
    this.kind = kind;
  }
}

/**
 * Runs a short tool, bytes in and bytes out, and resolves when it has exited, whatever its status: that is for the caller to
 * judge. It runs in its own session, so that a Ctrl-C at the terminal reaches it only through us. Throws a CommandFailure
 * where it cannot be started or prints more than `maxOutputBytes` (then it was ended). Where this process exits meanwhile, the
 * command is ended too.
 */
export async function runCommand(spec: CommandSpec): Promise<CommandResult> {
  if (spec.signal?.aborted === true) return neverRan;
  const child = start(spec);
  if (child.pid !== undefined) spec.onSpawn?.(child.pid);
  const ending = prepareEnding(child);
  const stdout = keepUpTo(spec.maxOutputBytes ?? defaultMaxOutputBytes, ending.begin);
  const stderr = keepLast(keptErrorBytes);
  const limits = startLimits(spec, ending);
  endWithUs(child);
  converse(child, spec.input, { stdout: stdout.take, stderr: stderr.take });
  try {
    const exit = await Promise.race([whenOver(child), ending.hopeless]);
    if (stdout.overflowed()) throw tooMuch(spec);
    const text = new TextDecoder().decode(stderr.bytes());
    return { ...exit, stdout: stdout.bytes(), stderr: text, ...limits.passed(exit) };
  } catch (error) {
    throw error instanceof CommandFailure ? error : notStarted(error, spec);
  } finally {
    limits.stop();
    letGo(child);
    ending.finish();
    hangUp(child);
  }
}

type Exit = Pick<CommandResult, 'code' | 'signal'>;

const neverRan: CommandResult = {
  code: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: '',
  timedOut: false,
  aborted: true,
};

/** What may end a command before its time. */
interface Limits {
  readonly passed: (exit: Exit) => Pick<CommandResult, 'timedOut' | 'aborted'>;
  readonly stop: () => void;
}

function startLimits({ timeoutMs, signal }: CommandSpec, ending: Ending): Limits {
  let timedOut = false;
  let aborted = false;
  const limit = startLimitTimer(timeoutMs, () => {
    timedOut = true;
    ending.begin();
  });
  const abort = (): void => {
    aborted = true;
    ending.begin(hurriedGraceMs);
  };
  signal?.addEventListener('abort', abort, { once: true });
  return {
    // What ended well at that very moment was not cut off.
    passed: ({ code }) => ({ timedOut, aborted: aborted && code !== 0 }),
    stop: () => {
      limit.stop();
      signal?.removeEventListener('abort', abort);
    },
  };
}

function start({ file, args, cwd, env, input }: CommandSpec): ChildProcess {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  try {
    return spawn(file, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  } catch (error) {
    throw notStarted(error, { file, cwd });
  }
}

interface Listeners {
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (chunk: Buffer) => void;
}

function converse(child: ChildProcess, input: CommandSpec['input'], listeners: Listeners): void {
  child.stdout?.on('data', listeners.stdout);
  child.stderr?.on('data', listeners.stderr);
  // A tool that does not read to the end is free to do so: EPIPE is no error.
  child.stdin?.on('error', () => undefined).end(input);
}

function hangUp({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

async function whenOver(child: ChildProcess): Promise<Exit> {
  let drain: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Exit>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
      child.once('exit', (code, signal) => {
        drain = setTimeout(() => setImmediate(resolve, { code, signal }), drainMs);
      });
    });
  } finally {
    clearTimeout(drain);
  }
}

/** The way to end a command before its time. */
interface Ending {
  /** TERM to the group, KILL after the grace (milliseconds; 2000 unless given); does nothing when called again. */
  readonly begin: (graceMs?: number) => void;
  /** Resolves when KILL did not help. */
  readonly hopeless: Promise<Exit>;
  /** Stops the timers; what is left of a group that was being ended gets KILL. */
  readonly finish: () => void;
}

function prepareEnding(child: ChildProcess): Ending {
  const timers: NodeJS.Timeout[] = [];
  let giveUp = (): void => undefined;
  const hopeless = new Promise<Exit>((resolve) => {
    giveUp = () => {
      child.unref();
      resolve({ code: null, signal: null });
    };
  });
  return {
    begin: (graceMs = defaultGraceMs) => {
      if (timers.length > 0) return;
      signalGroup(child, 'SIGTERM');
      timers.push(
        setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs),
        setTimeout(giveUp, graceMs + killPatienceMs),
      );
    },
    hopeless,
    finish: () => {
      if (timers.length > 0) signalGroup(child, 'SIGKILL');
      timers.forEach(clearTimeout);
    },
  };
}

interface BoundedOutput {
  readonly take: (chunk: Buffer) => void;
  readonly overflowed: () => boolean;
  readonly bytes: () => Buffer;
}

function keepUpTo(limit: number, onOverflow: () => void): BoundedOutput {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    take: (chunk) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else onOverflow();
    },
    overflowed: () => size > limit,
    bytes: () => Buffer.concat(chunks),
  };
}

function tooMuch({ file, args, maxOutputBytes = defaultMaxOutputBytes }: CommandSpec): Error {
  const line = [file, ...args].join(' ').slice(0, 200);
  const message = `${line} printed more than ${maxOutputBytes} bytes and was ended.`;
  return new CommandFailure('too-much-output', message);
}

function notStarted(error: unknown, attempt: SpawnAttempt): CommandFailure {
  const { kind, message } = explainSpawnFailure(error, attempt);
  return new CommandFailure(kind, message, error);
}
