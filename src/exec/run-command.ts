import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { defaultGraceMs } from './end-target.ts';
import { startLimitTimer } from './limit-timer.ts';
import { keepLast } from './output-record.ts';
import { sendSignal } from './send-signal.ts';
import { explainSpawnFailure } from './spawn-failure.ts';
import type { SpawnAttempt, SpawnFailure } from './spawn-failure.ts';

const defaultMaxOutputBytes = 256 * 2 ** 20;
const keptErrorBytes = 64 * 2 ** 10;
/** How long the output may still be held open by somebody else after the exit. */
const drainMs = 250;
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
 * where it cannot be started or prints more than `maxOutputBytes` (then it was ended).
 */
export async function runCommand(spec: CommandSpec): Promise<CommandResult> {
  const child = start(spec);
  const ending = prepareEnding(child);
  const stdout = keepUpTo(spec.maxOutputBytes ?? defaultMaxOutputBytes, ending.begin);
  const stderr = keepLast(keptErrorBytes);
  child.stdout?.on('data', stdout.take);
  child.stderr?.on('data', stderr.take);
  let timedOut = false;
  const limit = startLimitTimer(spec.timeoutMs, () => {
    timedOut = true;
    ending.begin();
  });
  feed(child, spec.input);
  try {
    const exit = await Promise.race([whenOver(child), ending.hopeless]);
    if (stdout.overflowed()) throw tooMuch(spec);
    const text = new TextDecoder().decode(stderr.bytes());
    return { ...exit, stdout: stdout.bytes(), stderr: text, timedOut };
  } catch (error) {
    throw error instanceof CommandFailure ? error : notStarted(error, spec);
  } finally {
    limit.stop();
    ending.finish();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

type Exit = Pick<CommandResult, 'code' | 'signal'>;

function start({ file, args, cwd, env, input }: CommandSpec): ChildProcess {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  try {
    return spawn(file, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  } catch (error) {
    throw notStarted(error, { file, cwd });
  }
}

function feed({ stdin }: ChildProcess, input: Uint8Array | string | undefined): void {
  // A tool that does not read to the end is free to do so: EPIPE is no error.
  stdin?.on('error', () => undefined).end(input);
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
  /** TERM to the group, KILL after the grace; does nothing when called again. */
  readonly begin: () => void;
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
    begin: () => {
      if (timers.length > 0) return;
      signalGroup(child, 'SIGTERM');
      timers.push(
        setTimeout(() => signalGroup(child, 'SIGKILL'), defaultGraceMs),
        setTimeout(giveUp, defaultGraceMs + killPatienceMs),
      );
    },
    hopeless,
    finish: () => {
      if (timers.length > 0) signalGroup(child, 'SIGKILL');
      timers.forEach(clearTimeout);
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(process.platform === 'win32' ? pid : -pid, signal);
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
