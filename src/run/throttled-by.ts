import type { Outcome } from '../core/machine.ts';
import type { Agent } from '../ports.ts';
import type { Life } from './life.ts';
import type { Away } from './roster.ts';
import type { Session } from './session.ts';

/** That an agent is limited, and what follows, as far as it is sure: `next` goes on; without one this limit is waited for. */
export function throttledBy(
  away: Away,
  next: Agent | Away | undefined,
  life: Life,
  session: Session,
): Extract<Outcome, { type: 'agent.throttled' }> {
  const told = { type: 'agent.throttled', ...away } as const;
  if (session.signal.aborted || session.purse.refuses(life.events)) return told;
  if (next !== undefined) return 'until' in next ? told : { ...told, next: next.name };
  const ms = Date.parse(away.until) - Date.parse(session.ports.clock.now());
  return ms > session.waits.leftMs(session.ports.clock.monotonic())
    ? told
    : { ...told, waits: true };
}
