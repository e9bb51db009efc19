import { Refusal, type Claims } from '../../ports.ts';
import type { Session } from './session.ts';

/**
 * What rings when another session has told of one of the plans (`pg_notify` of its number). A bell that was rung while nobody
 * listened rings at once; so does every new connection, which may have missed one. Throws Refusal(3) where the server is gone.
 */
export function bellOf(session: Session, isOurs: (plan: string) => boolean): Claims['changed'] {
  let hasRung = false;
  let end: unknown;
  const waiting = new Set<() => void>();
  const ring = (): void => {
    hasRung = true;
    for (const wake of waiting) wake();
  };
  session.watch({
    told: (plan) => {
      if (isOurs(plan)) ring();
    },
    restored: async () => ring(),
    ended: (reason) => {
      end = reason;
      ring();
    },
  });
  return async (milliseconds, signal) => {
    // Many that wait for the same do not come at one instant.
    const most = milliseconds * (0.75 + Math.random() * 0.25);
    if (!hasRung && !signal.aborted) await oneOf(waiting, most, signal);
    hasRung = false;
    if (end instanceof Refusal) throw end;
  };
}

async function oneOf(waiting: Set<() => void>, most: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, most);
    signal.addEventListener('abort', wake);
    waiting.add(wake);
  });
}
