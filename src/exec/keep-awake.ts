import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import { delimiter, isAbsolute, join } from 'node:path';
import { sendSignal } from './send-signal.ts';

/** Held while the machine is not to go to sleep. */
export interface Wakefulness {
  /** Lets it sleep again; returns at once. */
  readonly close: () => void;
}

type Environment = Readonly<Record<string, string | undefined>>;

const asleep: Wakefulness = { close: () => undefined };

/** What asks the system, by platform; it lasts as long as the program does. */
const programs: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    'systemd-inhibit',
    '--what=idle:sleep',
    '--who=skeleton',
    '--why=a run is going on',
    '--mode=block',
    'cat',
  ],
  darwin: ['caffeinate', '-i', '-w', String(process.pid)],
};

/**
 * Reads its input, which ends when we close it or die, and then ends its whole group, itself included; so it does when the
 * program ends first, as it does at once where no logind answers. The program gets the same input: `cat` waits for its end too.
 */
const script = 'exec 3<&0; { "$@" <&3; kill -s KILL 0; } & read -r _; kill -s KILL 0';

/**
 * Keeps the machine from idling to sleep until it is closed, or this process is gone, by kill -9 too: by `systemd-inhibit` on
 * Linux, `caffeinate` on macOS. Nothing happens, and nothing is said, where there is none, where it does not work (a container),
 * and in CI. It costs one spawn (a few ms); this process never waits for it, and none outlives it.
 */
export function keepAwake(env: Environment): Wakefulness {
  const [program, ...args] = programs[process.platform] ?? [];
  if (program === undefined || isSet(env['CI'])) return asleep;
  const file = whereIs(program, env['PATH']);
  return file === undefined ? asleep : guard(start([file, ...args], env));
}

function start(command: readonly string[], env: Environment): ChildProcess {
  const holder = spawn('/bin/sh', ['-c', script, 'skeleton-awake', ...command], {
    // It must hold nobody's folder, and no terminal.
    cwd: '/',
    detached: true,
    env: { ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Neither a missing shell nor one that ended by itself may end the run.
  holder.on('error', () => undefined);
  holder.stdin.on('error', () => undefined);
  holder.unref();
  if (holder.stdin instanceof Socket) holder.stdin.unref();
  return holder;
}

function guard(holder: ChildProcess): Wakefulness {
  return {
    close: () => {
      const { pid, exitCode, signalCode } = holder;
      holder.stdin?.destroy();
      // As long as Node has not seen it end, its number is nobody else's.
      if (pid !== undefined && exitCode === null && signalCode === null)
        sendSignal(-pid, 'SIGKILL');
    },
  };
}

function whereIs(program: string, path = ''): string | undefined {
  // A relative folder of PATH could be the agent's to fill.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** As services say it: `CI=true`, `CI=1`; `CI=false` says the contrary. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}
