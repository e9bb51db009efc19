import { setImmediate as turn } from 'node:timers/promises';

/** Whoever can die, or be stopped for a while, between two steps. */
export interface Actor {
  readonly name: string;
  isDead: boolean;
  /** In the schedule's time; until then it does nothing. */
  pausedUntil: number;
}

interface Waiting {
  readonly actor: Actor;
  readonly what: string;
  readonly isReady: () => boolean;
  /** It goes on at this time, whatever `isReady` says. */
  readonly at: number;
  readonly resume: () => void;
}

/** Who goes on next, of all who wait at a port; and a clock that only moves while nobody can do anything, or by a step. */
export interface Schedule {
  /** Milliseconds. */
  readonly now: () => number;
  /** One point at which others may come between. */
  readonly step: (actor: Actor, what: string) => Promise<void>;
  /** Waits for something, at most until a time. */
  readonly until: (actor: Actor, isReady: () => boolean, at: number) => Promise<void>;
  /** `PLACE: WHAT` of each step that was taken, for who looks for a fault. */
  readonly taken: readonly string[];
  /** Lets everybody go on until all is over. Throws where nobody can, or it takes too long. */
  readonly run: (isOver: () => boolean) => Promise<void>;
}

export interface ScheduleOptions {
  /** A whole number below the given one: whose turn it is. */
  readonly pick: (below: number) => number;
  /** Before each step, with who is about to take it: may kill him. */
  readonly before?: (actor: Actor, what: string) => void;
  readonly mostSteps?: number;
}

export function openSchedule({ pick, before, mostSteps = 20_000 }: ScheduleOptions): Schedule {
  let now = 0;
  let waiting: Waiting[] = [];
  const taken: string[] = [];
  const wait = (one: Omit<Waiting, 'resume'>): Promise<void> =>
    new Promise((resume) => void waiting.push({ ...one, resume }));
  const timeOf = ({ actor, at, isReady }: Waiting): number =>
    Math.max(actor.pausedUntil, isReady() ? now : at);
  const next = (): Waiting => {
    const times = waiting.map(timeOf);
    const first = Math.min(...times);
    if (!Number.isFinite(first)) throw new Error(`nobody can go on: ${told(waiting)}`);
    now = Math.max(now, first);
    const ready = waiting.filter((_, nth) => (times[nth] ?? Infinity) <= now);
    const chosen = ready[pick(ready.length)];
    if (chosen === undefined) throw new Error('nobody was chosen');
    return chosen;
  };
  return {
    now: () => now,
    step: (actor, what) => wait({ actor, what, isReady: () => true, at: 0 }),
    until: (actor, isReady, at) => wait({ actor, what: 'waits', isReady, at }),
    taken,
    run: async (isOver) => {
      for (;;) {
        await settled(() => waiting);
        waiting = waiting.filter(({ actor }) => !actor.isDead);
        if (isOver()) return;
        const chosen = next();
        if (taken.length > mostSteps) throw new Error(`${mostSteps} steps, and no end`);
        before?.(chosen.actor, chosen.what);
        if (chosen.actor.isDead || chosen.actor.pausedUntil > now) continue;
        taken.push(`${chosen.actor.name}: ${chosen.what}`);
        now += 1;
        waiting = waiting.filter((one) => one !== chosen);
        chosen.resume();
      }
    },
  };
}

/** Long enough for what was resumed to come to its next step; a turn of the event loop would be ten times as long. */
const TICKS = 60;

/** Everybody waits at a port. */
async function settled(waiting: () => readonly Waiting[]): Promise<void> {
  for (let tick = 0; tick < TICKS; tick += 1) await Promise.resolve();
  if (waiting().length === 0) await turn();
}

function told(waiting: readonly Waiting[]): string {
  return waiting.map(({ actor, what }) => `${actor.name} ${what}`).join(', ') || 'nobody waits';
}
