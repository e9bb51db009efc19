import type { Outcome } from '../core/machine.ts';
import { Interrupted } from '../ports.ts';
import type { Life } from './life.ts';
import { voided } from './void.ts';
import type { Session } from './session.ts';

/**
 * Performs an effect that a stop may cut off, and appends what came of it. The void is written at the very moment of the stop:
 * a second signal may end this process before the agent is gone, and an interruption must cost no attempt even so.
 */
export async function withStop(
  life: Life,
  session: Session,
  perform: (life: Life, session: Session) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const { signal, journal } = session;
  const stops: { readonly event: Outcome; readonly written: Promise<void> }[] = [];
  const onStop = (): void => {
    const event = voided(session);
    const written = journal.append(life.task.id, event);
    written.catch(() => undefined);
    stops.push({ event, written });
  };
  signal.addEventListener('abort', onStop, { once: true });
  try {
    if (signal.aborted) onStop();
    const outcomes = signal.aborted ? [] : await cutOff(perform(life, session));
    // What comes while these are written, which takes its time on a server, is for the next effect.
    signal.removeEventListener('abort', onStop);
    const [stop] = stops;
    if (stop === undefined) return await appendAll(life, session, outcomes);
    await stop.written;
    return [stop.event];
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}

/** What git was doing when the stop ended it is of no use: the void says all. */
async function cutOff(performed: Promise<readonly Outcome[]>): Promise<readonly Outcome[]> {
  try {
    return await performed;
  } catch (error) {
    if (error instanceof Interrupted) return [];
    throw error;
  }
}

export async function appendAll(
  { task }: Life,
  { journal }: Session,
  outcomes: readonly Outcome[],
): Promise<readonly Outcome[]> {
  for (const event of outcomes) await journal.append(task.id, event);
  return outcomes;
}
