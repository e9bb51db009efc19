import type { Outcome } from '../core/machine.ts';
import { lastLimit } from '../core/waiting.ts';
import type { Life } from './life.ts';
import type { Session } from './session.ts';

/** A laptop that wakes up, and a clock that was set, are noticed this soon (ms). */
const SLICE = 30_000;

/**
 * Waits until the provider may be asked again (contract, "Agent step"). Comes back with nothing, and the task stays as it is,
 * where a stop ends the wait or it would go beyond what is left of `max_wait`.
 */
export async function wait(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { state, task } = life;
  if (state.phase !== 'waiting') throw new Error(`nothing to wait for in ${state.phase}`);
  const { until } = state;
  const { clock } = session.ports;
  const ms = Date.parse(until) - Date.parse(clock.now());
  if (ms > session.waits.leftMs(clock.monotonic())) {
    session.waits.exceed();
    return [];
  }
  const name = lastLimit(life.events)?.agent ?? 'the agent';
  const nowhere = { attempt: 0, attempts: 0, name };
  session.onProgress({ type: 'step', task: task.id, ...nowhere, step: 'wait', until });
  if (!(await sitOut(until, ms, session))) return [];
  session.roster.waited(until);
  return [{ type: 'wait.over' }];
}

/**
 * False where a stop came first. Over when the wall clock has passed `until`, so that a machine that slept meanwhile goes on at
 * once; or when `longestMs` have passed on the monotonic clock, so that a wall clock set back prolongs nothing.
 */
async function sitOut(until: string, longestMs: number, session: Session): Promise<boolean> {
  const { ports, signal, waits } = session;
  const { clock } = ports;
  const begin = clock.monotonic();
  const end = waits.begin(begin);
  const passed = (): number => clock.monotonic() - begin;
  const leftMs = (): number =>
    Math.min(Date.parse(until) - Date.parse(clock.now()), longestMs - passed());
  try {
    while (!signal.aborted && leftMs() > 0) await clock.sleep(Math.min(leftMs(), SLICE), signal);
  } finally {
    end(clock.monotonic());
  }
  return !signal.aborted;
}
