import type { Recorded, TaskEvent } from './events.ts';
import { groupBy, isOfTask } from './history.ts';
import { evolve, isUnderWay, replay, type Ended, type State } from './machine.ts';
import { runsFinished, runsStarted, type Entry } from './rebuild-runs.ts';
import { notKnown, sightings, type Sighting } from './sightings.ts';
import { endNotKnown } from './spending.ts';
import type { PlanTraces } from './traces.ts';

export interface Telling {
  readonly plan: string;
  readonly planPath: string;
  /** All that the ledger says of the plan: nothing where it was lost. */
  readonly history: readonly Recorded[];
  readonly traces: PlanTraces;
}

export interface Rebuilt {
  readonly entries: readonly Entry[];
  /** The highest checkpoint number that git shows; 0 for none. */
  readonly highest: number;
  readonly checkpoints: number;
  readonly attempts: number;
}

/**
 * Events for what git holds of a plan and its history does not, so that a ledger that was lost, or lost its end, says again
 * which attempts were charged, what passed and what was under way (architecture.md, "Order of writes", 3). Nothing in it counts
 * as proved: what passed is marked as rebuilt.
 */
export function rebuild(telling: Telling): Rebuilt {
  const histories = groupBy(telling.history.filter(isOfTask), ({ task }) => task);
  const found = sightings(telling);
  const entries = [...groupBy(found, ({ task }) => task)].flatMap(([task, seen]) =>
    rebuildTask(task, histories.get(task)?.map(({ event }) => event) ?? [], seen),
  );
  if (entries.length === 0)
    return { entries, highest: highestOf(telling), checkpoints: 0, attempts: 0 };
  const failed = new Set(
    entries.filter(({ event }) => event.type === 'task.finished').map(({ task }) => task),
  );
  const all = [...runsStarted(telling, found), ...entries, ...runsFinished(telling, found, failed)];
  const ofKind = (type: TaskEvent['type']): number =>
    entries.filter(({ event }) => event.type === type).length;
  return {
    // Sorting is stable: of one task, and within a second, things stay in their order.
    entries: all.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))),
    highest: highestOf(telling),
    checkpoints: ofKind('gates.passed'),
    attempts: ofKind('attempt.started') - ofKind('gates.passed'),
  };
}

/** Entries as a ledger would record them after a history. */
export function inOrder(
  plan: string,
  entries: readonly Entry[],
  history: readonly Recorded[] = [],
): readonly Recorded[] {
  const last = new Map(history.map(({ task, seq }) => [task, seq]));
  return entries.map((entry) => {
    const seq = (last.get(entry.task) ?? 0) + 1;
    last.set(entry.task, seq);
    return { ...entry, plan, seq };
  });
}

/** Start tags take a number too; where the ledger knows the plan it knows its own. */
function highestOf({ traces, history }: Telling): number {
  const isLost = history.length === 0;
  // A tag without a proof still has its number: it is never used twice.
  const marks = traces.checkpoints.filter(({ proof }) => isLost || proof !== undefined);
  const starts = isLost ? traces.starts : [];
  return Math.max(0, ...[...marks, ...starts].map(({ number }) => number));
}

function rebuildTask(
  task: string,
  history: readonly TaskEvent[],
  seen: readonly Sighting[],
): readonly Entry[] {
  let state = replay(history);
  let at = '';
  const entries: Entry[] = [];
  const write = (run: string, time: string, events: readonly TaskEvent[]): void => {
    at = time > at ? time : at;
    for (const event of events) {
      state = evolve(state, event);
      entries.push({ run, at, task, event });
    }
  };
  for (const one of seen) {
    const kept = seen.find(({ kind, number }) => kind === 'kept' && number === state.number);
    if (isNews(one, state)) {
      write(one.run, one.at, closing(state, kept));
      write(one.run, one.at, begin(state, one));
      write(one.run, one.at, end(one));
    }
  }
  const [last] = entries.slice(-1);
  if (last !== undefined && state.phase === 'failed')
    write(last.run, at, [{ type: 'task.finished', state: 'failed' }]);
  return entries;
}

/** A checkpoint is news whatever its attempt's number is: only its tag was looked for. */
function isNews(one: Sighting, state: State): boolean {
  return one.kind === 'passed' || one.number > state.number;
}

/** Ends an attempt that the history leaves under way although git shows a later one. */
function closing(state: State, kept: Sighting | undefined): readonly TaskEvent[] {
  if (!isUnderWay(state)) return [];
  const snapshot = kept?.kind === 'kept' ? kept.snapshot : { ref: '', commit: state.base };
  const end = kept?.kind === 'kept' ? kept.ended : crashed;
  const ended = state.phase === 'rolling-back' ? [] : [endEvent(end)];
  return [...ended, { type: 'rollback.done', snapshot }];
}

const crashed: Ended = { how: 'rejected', failure: { kind: 'crashed' } };

function endEvent(ended: Ended): TaskEvent {
  if (ended.how === 'rejected') return { type: 'attempt.rejected', failure: ended.failure };
  return { type: 'attempt.voided', why: ended.why };
}

function begin(state: State, one: Sighting): readonly TaskEvent[] {
  const isOver = state.phase === 'failed' || state.phase === 'passed';
  const attempt = one.attempt ?? (isOver ? 1 : state.charged + 1);
  const anew = attempt <= state.charged || state.phase === 'passed';
  const reopened: readonly TaskEvent[] =
    state.phase === 'pending' && !anew ? [] : [{ type: 'task.reopened', anew }];
  const started: TaskEvent = {
    type: 'attempt.started',
    number: Math.max(Math.ceil(one.number), state.number + 1),
    attempt,
    attempts: Math.max(one.attempts ?? usualAttempts, attempt),
    base: one.base,
    agent: one.agent,
    token: one.kind === 'open' ? one.token : notKnown,
    worktree: one.kind === 'open' ? one.worktree : '',
  };
  return [...reopened, started];
}

const usualAttempts = 5;

function end(one: Sighting): readonly TaskEvent[] {
  if (one.kind === 'open') return one.ended === undefined ? [] : [endEvent(one.ended)];
  if (one.kind === 'kept')
    return [endEvent(one.ended), { type: 'rollback.done', snapshot: one.snapshot }];
  const { commit, tag, proof, proofObject } = one;
  return [
    { type: 'agent.finished', seconds: 0, ended: endNotKnown, exit: null, log: '' },
    { type: 'gates.passed', commit, tag, proof, proofObject, gates: [], rebuilt: true },
    { type: 'checkpoint.created', tag, commit },
  ];
}
