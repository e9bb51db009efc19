import { Readable } from 'node:stream';

/** Milliseconds. What has said something, is silent for so long and yet open is held by somebody whom git left behind. */
const heldOpenMs = 5000;

/**
 * Closes a git's outputs once only that somebody holds them. simple-git's own timer after the exit loses output where it is
 * short, and keeps our process alive where it is long.
 */
export function closeIfHeld(outputs: readonly NodeJS.ReadableStream[]): void {
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    for (const output of outputs) if (output instanceof Readable) output.destroy();
  };
  for (const output of outputs)
    output.on('data', (piece: Buffer) => {
      if (piece.length === 0) return;
      clearTimeout(timer);
      timer = setTimeout(close, heldOpenMs).unref();
    });
}
