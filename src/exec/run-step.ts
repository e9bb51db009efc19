import { defaultGraceMs, endTarget } from './end-target.ts';
import type { EndedProcess } from './end-target.ts';
import type { launchStep, StartedStep, StepCommand, StepExit } from './launch-step.ts';
import type { Secret } from '../core/mask.ts';
import { outputMask } from './mask-output.ts';
import { recordOutput } from './output-record.ts';
import type { OutputFacts } from './output-record.ts';
import { startTimeOf } from './process-table.ts';
import type { SpawnFailure } from './spawn-failure.ts';
import { startStepLimits } from './step-limits.ts';
import type { StepLimits, StepStop } from './step-limits.ts';
import { openStepStdio } from './step-stdio.ts';
import type { StepStdio } from './step-stdio.ts';
import { assertToken, chainToken, stepVariable } from './step-token.ts';
import type { Watcher } from './watcher.ts';

export type { StepCommand } from './launch-step.ts';

const defaultMaxLogBytes = 50 * 2 ** 20;
const defaultTailBytes = 64 * 2 ** 10;
/** What ends by itself this soon after the step (a service that sees its input close) was not left behind. */
const settleMs = 100;
/** How long output may still come once every process that we know of is gone. */
const drainMs = 250;

/** An agent or a gate to run. Times are milliseconds. */
export interface StepSpec {
  readonly command: StepCommand;
  readonly cwd: string;
  /** All of it: nothing is inherited, but for SKELETON_STEP (see `chainToken`). */
  readonly env: Readonly<Record<string, string>>;
  /** For standard input; without it, that is /dev/null. */
  readonly input?: Uint8Array | string;
  /**
   * Marks the step's processes, as SKELETON_STEP in their environment; see `assertToken`. What carries it is ended with the
   * step, so steps that run at the same time need different ones.
   */
  readonly token: string;
  /** For the whole step, from its start; without it there is no limit. */
  readonly timeoutMs?: number;
  /** Between two pieces of output; without it there is no limit. */
  readonly idleTimeoutMs?: number;
  /** From TERM to KILL; 2000 unless given. */
  readonly graceMs?: number;
  /** Output and error in the order of writing; see `openStepLog`. */
  readonly logPath: string;
  /** 50 MiB unless given. */
  readonly maxLogBytes?: number;
  /** How many bytes `head` and `tail` are made from, each; 64 KiB unless given. */
  readonly tailBytes?: number;
  /** Aborted, it ends the step, or keeps it from starting. */
  readonly signal?: AbortSignal;
  /** Masked in all that is kept of the output, as keys of well-known shapes are; without it, nothing is masked. */
  readonly secrets?: readonly Secret[] | undefined;
  /** Gets each piece of output as it comes, unmasked, to be read and not to be written anywhere; the bytes are valid during the call only. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** Gets what the log gets: masked output, a little later than it comes. The bytes are valid during the call only. */
  readonly sink?: ((chunk: Uint8Array) => void) | undefined;
  /** Called as soon as the step runs, before it can have ended. */
  readonly onSpawn?: (info: { readonly pid: number; readonly startTime: string }) => void;
  /** Ends the step if we are killed; told before it starts and after its last process is gone. */
  readonly watcher?: Watcher;
}

/** How a step ended. A line for `sh -c` whose program is missing is an `exit` with the shell's 127 (126: not executable). */
export type StepEnd = StepExit | StepStop | SpawnFailure;

/** What became of a step. */
export interface StepResult extends OutputFacts {
  readonly end: StepEnd;
  /** Until the step's own process ended or, where we ended it, until all were gone. */
  readonly durationMs: number;
  /**
   * Processes that had to be ended after the step's own exit; after a limit or an abort, those that TERM did not end.
   * `by: 'nothing'`: it lives on, even KILL did not end it.
   */
  readonly leftovers: readonly EndedProcess[];
}

/**
 * Runs an agent or a gate in its own session and process group, and resolves when every process of the group and every one
 * that carries the token is gone, or reported as unkillable (contract, "Nothing hangs"). Any way a step can end is a value;
 * it rejects for a malformed token, a log or temporary folder that cannot be written, and what a callback throws (after the
 * step was ended).
 */
export async function runStep(spec: StepSpec): Promise<StepResult> {
  assertToken(spec.token);
  const record = recordOutput(spec.logPath, {
    maxLogBytes: spec.maxLogBytes ?? defaultMaxLogBytes,
    keepBytes: Math.max(1, spec.tailBytes ?? defaultTailBytes),
    mask: spec.secrets && outputMask(spec.secrets),
    sink: spec.sink,
  });
  let course: Course;
  try {
    course = await perform(spec, record.take);
  } catch (error) {
    record.finish();
    throw error;
  }
  return { ...course, ...record.finish() };
}

type Course = Pick<StepResult, 'end' | 'durationMs' | 'leftovers'>;

async function perform(spec: StepSpec, keep: (chunk: Uint8Array) => void): Promise<Course> {
  const { launchStep } = await import('./launch-step.ts');
  const limits = startStepLimits(spec);
  const take = (chunk: Uint8Array): void => {
    limits.sawOutput();
    limits.guard(() => keep(chunk));
    limits.guard(() => spec.onOutput?.(chunk));
  };
  try {
    const stdio = await openStepStdio(spec.input, take);
    try {
      return await conduct(spec, limits, stdio, launchStep);
    } finally {
      stdio.close();
    }
  } finally {
    limits.clear();
  }
}

async function conduct(
  spec: StepSpec,
  limits: StepLimits,
  stdio: StepStdio,
  launch: typeof launchStep,
): Promise<Course> {
  if (spec.signal?.aborted === true) return neverRan({ kind: 'aborted' });
  const mark = chainToken(process.env[stepVariable], spec.token);
  spec.watcher?.watch(spec.token);
  try {
    const startedAt = performance.now();
    const place = { cwd: spec.cwd, env: { ...spec.env, [stepVariable]: mark } };
    const step = await launch(spec.command, place, stdio);
    if ('kind' in step) return neverRan(step);
    const course = await follow({ ...step, startedAt }, spec, limits);
    await stdio.drain(drainMs);
    limits.throwFault();
    return course;
  } finally {
    spec.watcher?.unwatch(spec.token);
  }
}

function neverRan(end: StepEnd): Course {
  return { end, durationMs: 0, leftovers: [] };
}

async function follow(
  step: StartedStep & { readonly startedAt: number },
  spec: StepSpec,
  limits: StepLimits,
): Promise<Course> {
  const { token, graceMs = defaultGraceMs } = spec;
  const { pid, startedAt } = step;
  const startTime = startTimeOf(pid) ?? '';
  spec.watcher?.watch(token, { pid, startTime });
  limits.guard(() => spec.onSpawn?.({ pid, startTime }));
  const end = await Promise.race([step.exited, limits.stopped]);
  const exitedAt = performance.now();
  const isOwn = end.kind === 'exit' || end.kind === 'signal';
  const target = { token, group: pid, since: startTime };
  const ended = await endTarget(target, { settleMs: isOwn ? settleMs : 0, graceMs });
  // Node would wait for an unkillable child for ever before it ends itself.
  if (ended.some(({ by }) => by === 'nothing')) step.unref();
  if (isOwn) return { end, durationMs: exitedAt - startedAt, leftovers: ended };
  const leftovers = ended.filter(({ by }) => by !== 'term');
  return { end, durationMs: performance.now() - startedAt, leftovers };
}
