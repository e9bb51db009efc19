import { openMask, type Mask, type Secret } from '../core/mask.ts';

/** Masks output while it comes. */
export interface OutputMask {
  /** What may be written now; the rest waits for what follows. */
  readonly take: (chunk: Uint8Array) => Uint8Array;
  /** What was still waiting. */
  readonly finish: () => Uint8Array;
}

/** Bytes stay bytes: what is no UTF-8 is not changed. */
const encoding = 'latin1';

/** `mask` has to be made of secrets in the same spelling: see `asBytes`. Holds back at most a few KiB, or the longest secret. */
export function maskOutput(mask: Mask): OutputMask {
  let waiting = '';
  return {
    take: (chunk) => {
      const all = waiting + Buffer.from(chunk).toString(encoding);
      const end = mask.settled(all);
      waiting = all.slice(end);
      return Buffer.from(mask.text(all.slice(0, end)), encoding);
    },
    finish: () => {
      const rest = mask.text(waiting);
      waiting = '';
      return Buffer.from(rest, encoding);
    },
  };
}

/** Masks these secrets, and keys of well-known shapes, in one step's output. */
export function outputMask(secrets: readonly Secret[]): OutputMask {
  return maskOutput(openMask(secrets.map(({ name, value }) => ({ name, value: asBytes(value) }))));
}

/** A secret's value as it looks in output that is read as single bytes. */
export function asBytes(value: string): string {
  return Buffer.from(value, 'utf8').toString(encoding);
}
