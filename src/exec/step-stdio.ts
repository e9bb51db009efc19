import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { sweepFolders } from './own-folders.ts';
import { explainTemporary, makeTemporary } from './temporary-folder.ts';

const mkfifoLimitMs = 10_000;

/** Standard input, output and error of a step, opened before it starts. */
export interface StepStdio {
  readonly stdin: number | 'ignore';
  /** For output and error alike. */
  readonly output: number | 'pipe';
  /** Call it as soon as the child is started: as long as we hold its ends, the output does not end. */
  readonly handOver: (streams: readonly (Readable | null | undefined)[]) => void;
  /** Reads what is left: until the output ends, or for at most `graceMs` where somebody still holds it. */
  readonly drain: (graceMs: number) => Promise<void>;
  /** Closes whatever is open; may be called at any time, and again. */
  readonly close: () => void;
}

/**
 * Opens a step's standard streams; `take` gets the output while it comes.
 * - Input is a file without a name: a child that never reads it, reads it twice or opens /dev/stdin is fine, and nothing has
 *   to be written while it runs. Without input: /dev/null.
 * - Output and error share one FIFO. Node's own pipes are socket pairs: two of them lose the order between output and error,
 *   and `echo >/dev/stderr` fails on them (ENXIO). Where no FIFO can be made (no mkfifo, Windows) Node's pipes have to do.
 */
export async function openStepStdio(
  input: Uint8Array | string | undefined,
  take: (chunk: Uint8Array) => void,
): Promise<StepStdio> {
  const folder = makeTemporary(prefix);
  try {
    const fifo = join(folder, 'output');
    const hasFifo = await makeFifo(fifo);
    const stdin = input === undefined ? undefined : openInput(join(folder, 'input'), input);
    return assemble(stdin, hasFifo ? openFifo(fifo) : undefined, take);
  } catch (error) {
    throw explainTemporary(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const prefix = 'skeleton-step-';

/** Takes away what processes left that were killed while they opened a step's streams; gives the folders. */
export function sweepStepFolders(): readonly string[] {
  return sweepFolders(tmpdir(), prefix);
}

interface FifoEnds {
  readonly write: number;
  readonly reader: Socket;
}

function assemble(
  stdin: number | undefined,
  ends: FifoEnds | undefined,
  take: (chunk: Uint8Array) => void,
): StepStdio {
  const readers: Readable[] = [];
  const open = new Set([stdin, ends?.write].filter((descriptor) => descriptor !== undefined));
  const read = (stream: Readable): void => {
    readers.push(stream.on('data', take).on('error', () => stream.destroy()));
  };
  const closeChildEnds = (): void => {
    open.forEach(closeSync);
    open.clear();
  };
  const close = (): void => {
    closeChildEnds();
    for (const stream of readers) stream.destroy();
  };
  if (ends !== undefined) read(ends.reader);
  return {
    stdin: stdin ?? 'ignore',
    output: ends?.write ?? 'pipe',
    handOver: (streams) => {
      closeChildEnds();
      for (const stream of streams) if (stream !== null && stream !== undefined) read(stream);
    },
    drain: async (graceMs) => {
      const ended = Promise.all(readers.map(whenClosed));
      const stop = new AbortController();
      const grace = sleep(graceMs, undefined, { signal: stop.signal }).catch(() => undefined);
      await Promise.race([ended, grace]);
      stop.abort();
      // Timers run before reads: after a stall of ours, one more turn reads what was there in time.
      await setImmediate();
      close();
    },
    close,
  };
}

async function whenClosed(stream: Readable): Promise<void> {
  if (stream.closed) return;
  await new Promise<void>((resolve) => void stream.once('close', resolve));
}

async function makeFifo(path: string): Promise<boolean> {
  const options = { stdio: 'ignore', timeout: mkfifoLimitMs } as const;
  const mkfifo = spawn('mkfifo', ['-m', '600', path], options);
  return new Promise((resolve) => {
    mkfifo.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0));
  });
}

/** The reader first: without one, opening the other end would wait for it. */
function openFifo(path: string): FifoEnds {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const write = openSync(path, constants.O_WRONLY);
  return { write, reader: new Socket({ fd: read, readable: true, writable: false }) };
}

function openInput(path: string, input: Uint8Array | string): number {
  writeFileSync(path, input, { mode: 0o600 });
  return openSync(path, 'r');
}
