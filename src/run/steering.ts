import type { Note } from '../core/note.ts';
import type { Clock, Ledger } from '../ports.ts';
import type { Journal } from './journal.ts';
import type { PlanWatch } from './plan-watch.ts';

/** Why an attempt does not begin: its task is to be skipped, or the plan was edited and has to be read first. */
export type Away = 'skip' | 'edited';

/** What people ask of a run from outside while it goes (docs/steering.md). */
export interface Steering {
  readonly watch: PlanWatch;
  /**
   * Right before an attempt: tells its task the notes that came for it, and waits as long as the plan is paused, or until the stop.
   * Gives why it is not to begin.
   */
  readonly stand: (place: Place) => Promise<Away | undefined>;
  /** What `stand` said last of a task. */
  readonly whyAway: (task: string) => Away | undefined;
  /** What the run has read of the plan; with `isPaused` it reads it again before anything begins. */
  readonly heard: (plan: Heard, isPaused: boolean) => void;
  /** The plan was paused since the run read it last: it may have been edited. */
  readonly isBehind: () => boolean;
  /** What lies in the inbox. */
  readonly notes: () => Promise<readonly Note[]>;
  /** Waits as long as the plan is paused, or until `signal`. */
  readonly waitWhilePaused: (signal: AbortSignal) => Promise<void>;
  /** What the note asked for is done, or can no longer be. */
  readonly done: (note: Note) => Promise<void>;
}

interface Heard {
  readonly bytes: Uint8Array;
  /** Another object once the plan was read again. */
  readonly read: object;
}

export interface Place {
  readonly task: string;
  readonly signal: AbortSignal;
  /** Its bytes, as the attempt knows them; undefined where it begins in a work tree of its own. */
  readonly plan: Uint8Array | undefined;
  /** It has passed its gates ahead of its turn, which counts as begun: it is not skipped. */
  readonly hasPassedAhead?: boolean;
}

/** Shown for a task that does not go on; '' for none. */
interface Paused {
  readonly type: 'step';
  readonly task: string;
  readonly attempt: 0;
  readonly attempts: 0;
  readonly step: 'pause';
  readonly name: '';
  /** When the pause was asked for; ISO 8601, UTC. */
  readonly since: string;
}

export interface SteeringParts {
  readonly ports: { readonly ledger: Ledger; readonly clock: Pick<Clock, 'sleep'> };
  readonly journal: Journal;
  readonly watch: PlanWatch;
  readonly onProgress: (paused: Paused) => void;
}

export function openSteering(parts: SteeringParts): Steering {
  const { ports, journal, watch } = parts;
  const { ledger } = ports;
  const notes = async (): Promise<readonly Note[]> => ledger.inbox(journal.plan);
  const reader = openReader(watch);
  const halt = openHalt(parts, notes, reader.fallBehind);
  const away = new Map<string, Away>();
  return {
    watch,
    stand: async ({ task, signal, plan, hasPassedAhead = false }) => {
      away.delete(task);
      const isOtherThan = reader.since();
      const own = (await halt(task, signal)).filter((note) => note.task === task);
      await tellAll(
        own.filter(({ kind }) => kind === 'tell'),
        parts,
      );
      const isEdited = plan === undefined ? await isOtherThan() : !(await watch.isStill(plan));
      const isSkipped = !hasPassedAhead && own.some(({ kind }) => kind === 'skip');
      const why = isSkipped ? 'skip' : isEdited ? 'edited' : undefined;
      if (why !== undefined) away.set(task, why);
      return why;
    },
    whyAway: (task) => away.get(task),
    heard: reader.heard,
    isBehind: reader.isBehind,
    notes,
    waitWhilePaused: async (signal) => {
      await halt('', signal);
    },
    done: async ({ id }) => ledger.take(journal.plan, [id]),
  };
}

interface Reader extends Pick<Steering, 'heard' | 'isBehind'> {
  readonly fallBehind: () => void;
  /** Gives what tells whether the plan was edited in a pause that began after now. */
  readonly since: () => () => Promise<boolean>;
}

/** What the run knows of the plan. Elsewhere than on the branch, a copy cannot be compared with the file: others tick it. */
function openReader(watch: PlanWatch): Reader {
  let known: Heard | undefined;
  let reads = 0;
  let pauses = 0;
  let isBehind = false;
  return {
    heard: (plan, isPaused) => {
      if (known !== undefined && known.read !== plan.read) reads += 1;
      known = plan;
      isBehind &&= isPaused;
    },
    isBehind: () => isBehind,
    fallBehind: () => {
      pauses += 1;
      isBehind = true;
    },
    since: () => {
      const then = { reads, pauses };
      return async () => {
        if (then.pauses === pauses || known === undefined) return false;
        return then.reads !== reads || !(await watch.isStill(known.bytes));
      };
    },
  };
}

/** Of one task. A note that was told by a run which died before it took it out is only taken out. */
async function tellAll(
  notes: readonly Note[],
  { ports: { ledger }, journal }: SteeringParts,
): Promise<void> {
  const [first] = notes;
  if (first === undefined) return;
  const { task } = first;
  const history = await ledger.taskHistory(journal.plan, task);
  const told = new Set(
    history.flatMap(({ event }) => (event.type === 'task.told' ? [event.note] : [])),
  );
  for (const { id, text, by } of notes) {
    if (!told.has(id)) await journal.append(task, { type: 'task.told', note: id, text, by });
    await ledger.take(journal.plan, [id]);
  }
}

export function isPause({ kind }: Note): boolean {
  return kind === 'pause';
}

/** Milliseconds between two looks at the inbox while the run is paused; where it lies on a server, longer. */
const PAUSE = 500;
const LONG_PAUSE = 2000;

type Halt = (task: string, signal: AbortSignal) => Promise<readonly Note[]>;

/** Waits while the plan is paused; gives what lies in the inbox then. However many wait at once, it is told once. */
function openHalt(
  { ports: { clock, ledger }, journal, onProgress }: SteeringParts,
  inbox: () => Promise<readonly Note[]>,
  fallBehind: () => void,
): Halt {
  let waiting = 0;
  const begin = async ({ at: since, by }: Note): Promise<void> => {
    waiting += 1;
    if (waiting === 1) await journal.append('', { type: 'run.paused', since, by });
  };
  const end = async (): Promise<void> => {
    waiting -= 1;
    if (waiting === 0) await journal.append('', { type: 'run.resumed' });
  };
  return async (task, signal) => {
    let notes = await inbox();
    const pause = notes.find(isPause);
    if (pause === undefined || signal.aborted) return notes;
    fallBehind();
    await begin(pause);
    const place = { task, attempt: 0, attempts: 0, name: '' } as const;
    onProgress({ type: 'step', ...place, step: 'pause', since: pause.at });
    const every = ledger.isShared ? LONG_PAUSE : PAUSE;
    while (!isOver(signal) && notes.some(isPause)) {
      await clock.sleep(every, signal);
      notes = await inbox();
    }
    if (!isOver(signal)) await end();
    return notes;
  };
}

/** Asked anew each time: it changes while something is waited for. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}
