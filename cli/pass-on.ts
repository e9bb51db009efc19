import { visible } from '../src/core/text.ts';
import type { Sink } from './io.ts';

/** Characters of a line without an end after which one is made. */
const LONGEST_LINE = 65_536;

export interface PassOn {
  readonly take: (chunk: Uint8Array) => void;
  /** What was held back of a line that has no end yet. */
  readonly flush: () => void;
}

/**
 * An agent's output as it comes, without its power over the terminal; characters that two chunks share stay whole. `wholeLines`:
 * for a reader that takes lines for commands, to which half a line may not be given.
 */
export function passOn(sink: Sink, wholeLines: boolean): PassOn {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  return {
    take: (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      if (!wholeLines) {
        sink.write(visible(text));
        return;
      }
      held += text;
      const end = held.lastIndexOf('\n') + 1;
      if (end > 0) sink.write(visible(held.slice(0, end)));
      held = held.slice(end);
      if (held.length < LONGEST_LINE) return;
      sink.write(`${visible(held)}\n`);
      held = '';
    },
    flush: () => {
      if (held !== '') sink.write(`${visible(held)}\n`);
      held = '';
    },
  };
}
