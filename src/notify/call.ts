import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Notification } from '../core/notification.ts';
import { clip, oneLine } from '../core/text.ts';
import { exitWord } from '../exec/exit-word.ts';
import { runStep, type StepEnd } from '../exec/run-step.ts';
import { stepEnvironment } from '../exec/step-environment.ts';
import { makeTemporary } from '../exec/temporary-folder.ts';
import { startWatcher } from '../exec/watcher.ts';
import type { Delivery, FollowUp } from '../ports.ts';
import type { NotifierPlaces } from './places.ts';

/** From TERM to KILL, milliseconds: the run's end waits for it. */
const GRACE = 500;
/** Of its output, bytes: only its last line is shown. */
const MOST_OUTPUT = 64 * 2 ** 10;
const LONGEST_WORDS = 200;

/** A command's input, and its variables besides those of its environment. */
interface Spoken {
  readonly input: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly sink?: ((chunk: Uint8Array) => void) | undefined;
}

/**
 * Runs a command with the notification on its standard input. Undefined where it ended with 0, else why it did not, with its
 * last line. Every process of it is ended with it.
 */
export async function call(
  command: string,
  notification: Notification,
  places: Delivery & NotifierPlaces,
): Promise<string | undefined> {
  const { event, run = '', plan = '' } = notification;
  const variables = { ...stepEnvironment(places.env, { run, plan }), SKELETON_NOTIFY: event };
  return perform(command, { input: `${JSON.stringify(notification)}\n`, variables }, places);
}

/** The same for a command that follows a run. */
export async function callAfter(
  command: string,
  { input, run, plan, status, sink }: FollowUp,
  places: Delivery & NotifierPlaces,
): Promise<string | undefined> {
  const told = stepEnvironment(places.env, { run, plan });
  const variables = { ...told, SKELETON_RUN_STATUS: String(status) };
  return perform(command, { input, variables, sink }, places);
}

async function perform(
  command: string,
  { input, variables, sink }: Spoken,
  { limitMs, signal, cwd, secrets }: Delivery & NotifierPlaces,
): Promise<string | undefined> {
  const folder = makeTemporary('skeleton-step-');
  // Also where we are killed meanwhile.
  const watcher = startWatcher();
  try {
    const { end, tail } = await runStep({
      command,
      cwd,
      env: variables,
      input,
      token: randomUUID(),
      timeoutMs: limitMs,
      graceMs: GRACE,
      logPath: join(folder, 'output'),
      maxLogBytes: MOST_OUTPUT,
      tailBytes: MOST_OUTPUT,
      signal,
      secrets,
      watcher,
      ...(sink && { sink }),
    });
    const ended = endedIn(end);
    if (ended === undefined) return undefined;
    // Where it was ended, the last line may be its shell's about that.
    return `the command ${ended}${end.kind === 'exit' ? lastLine(tail) : ''}`;
  } finally {
    await watcher.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function endedIn(end: StepEnd): string | undefined {
  switch (end.kind) {
    case 'exit':
      return end.code === 0 ? undefined : `ended with ${exitWord(end.code)}`;
    case 'signal':
      return `ended with ${end.signal}`;
    case 'timeout':
    case 'idle':
      return `was ended after ${end.afterMs / 1000} s`;
    case 'aborted':
      return 'was ended with the run';
    case 'not-found':
    case 'not-executable':
    case 'spawn-error':
      return `was not started: ${oneLine(end.message)}`;
  }
}

function lastLine(output: string): string {
  const line =
    output
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1)
      ?.trim() ?? '';
  return line === '' ? '' : `: ${clip(oneLine(line), LONGEST_WORDS)}`;
}
