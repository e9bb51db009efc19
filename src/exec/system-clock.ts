import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports.ts';

/** The machine's own time. */
export const clock: Clock = {
  now: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(Math.min(Math.max(ms, 0), 2 ** 31 - 1), undefined, { signal }).catch(
      () => undefined,
    );
  },
  id: () =>
    `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(4).toString('hex')}`,
};
