import { execa } from 'execa';
import { explainSpawnFailure } from './spawn-failure.ts';
import type { SpawnFailure } from './spawn-failure.ts';
import type { StepStdio } from './step-stdio.ts';

/** A program and its arguments, or a line for `sh -c`. */
export type StepCommand = string | { readonly file: string; readonly args: readonly string[] };

/** How a process ended by itself, or by a signal. */
export type StepExit =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string };

/** The step's own process, leader of its session and group. */
export interface StartedStep {
  readonly pid: number;
  readonly exited: Promise<StepExit>;
  /** From now on Node does not wait for it before it ends itself. */
  readonly unref: () => void;
}

/**
 * Starts a step with exactly the environment given; a value says why it did not start. The one module that loads execa
 * (100 ms), so import it when a step is to run.
 */
export async function launchStep(
  command: StepCommand,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  stdio: StepStdio,
): Promise<StartedStep | SpawnFailure> {
  const { file, args } = programOf(command);
  const failed = (cause: unknown): SpawnFailure =>
    explainSpawnFailure(cause, { file, cwd: place.cwd });
  let child: Child;
  try {
    child = start(file, args, { ...place, ...stdio });
  } catch (error) {
    return failed(error);
  }
  stdio.handOver([child.stdout, child.stderr]);
  const { pid } = child;
  return pid === undefined
    ? failed((await child).cause)
    : { pid, exited: whenExited(child), unref: () => child.unref() };
}

function programOf(command: StepCommand): Exclude<StepCommand, string> {
  if (typeof command !== 'string') return command;
  // Without `--` a line that begins with a dash would be read as options.
  const args = ['-c', '--', command];
  return { file: process.platform === 'win32' ? 'sh' : '/bin/sh', args };
}

type Place = Parameters<typeof launchStep>[1] & Pick<StepStdio, 'stdin' | 'output'>;

function start(file: string, args: readonly string[], place: Place) {
  return execa(file, args, {
    cwd: place.cwd,
    env: place.env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    // With buffers, 128 MiB of NULs would crash Node while execa builds its message.
    buffer: false,
    // Its types name descriptors up to 9 only, but it hands on any.
    stdin: place.stdin as 'ignore' | 9,
    stdout: place.output as 'pipe' | 9,
    stderr: place.output as 'pipe' | 9,
  });
}

type Child = ReturnType<typeof start>;

/** Execa's own promise would also wait for whoever holds a pipe of the child. */
async function whenExited(child: Child): Promise<StepExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(code === null ? { kind: 'signal', signal: String(signal) } : { kind: 'exit', code }),
    );
  });
}
