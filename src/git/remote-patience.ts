import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted, Refusal } from '../ports.ts';
import { GitError } from './git.ts';
import { isHopeless, whatWentWrong } from './remote-words.ts';
import { currentStop, cutShort } from './stopping.ts';

/** Milliseconds before the second try, the third… */
const pauses = [200, 600, 1800, 5000];
/** Milliseconds after which nothing is tried again: each try may have waited long by itself. */
const patienceMs = 3 * 60_000;

/** What is tried again, and how often it was. */
export interface Patience {
  /** Waits longer each time. Throws Refusal(3) where that is enough, or nothing will help; Interrupted where a stop comes meanwhile. */
  after(error: GitError): Promise<void>;
}

export function patienceWith(name: string): Patience {
  const begun = performance.now();
  let tries = 0;
  return {
    after: async (error) => {
      const pause = pauses[tries];
      const isOver = pause === undefined || performance.now() - begun > patienceMs;
      if (isOver || isHopeless(error.stderr)) throw unreachable(name, error);
      tries += 1;
      await pauseAbout(pause);
    },
  };
}

function unreachable(name: string, error: GitError): Refusal {
  const said = whatWentWrong(error.stderr);
  const why = said === '' ? error.message : said;
  return new Refusal(3, `the remote ${name} cannot be reached: ${why}`, `git ls-remote ${name}`);
}

/** Does what only reads, or may be done twice, until it succeeds; as of Patience. */
export async function persist<T>(name: string, work: () => Promise<T>): Promise<T> {
  const patience = patienceWith(name);
  for (;;) {
    try {
      return await cutShort(work)();
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      await patience.after(error);
    }
  }
}

/** Half as long to one and a half times, so that those that met once do not meet again. Throws Interrupted at a stop. */
export const pauseAbout: (ms: number) => Promise<void> = cutShort(async (ms: number) => {
  const signal = currentStop();
  try {
    await sleep(ms * (0.5 + Math.random()), undefined, signal && { signal });
  } catch {
    throw new Interrupted('a pause before the next try was ended by the stop');
  }
});
