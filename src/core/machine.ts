import type { Snapshot, TaskEvent } from './events.ts';
import { goesOn, type Failure, type VoidReason } from './failure.ts';
import { judgeAfter } from './judge-after.ts';

/** Where a task is in its life (architecture.md, "The machine"). All of it is a fold over the task's events. */
export type State = Progress & Position;

interface Progress {
  /** Attempts charged since the task was last begun anew: 0…5 (`take` may go beyond). */
  readonly charged: number;
  /** Attempts ever started: the N of `TASK#N`. */
  readonly number: number;
  /** What the last charged attempt died of; feedback for the next. */
  readonly lastFailure?: { readonly failure: Failure; readonly number: number };
}

/** The attempt under way. */
export interface Attempt {
  readonly base: string;
  readonly attempt: number;
  readonly attempts: number;
  readonly agent: string;
  readonly model?: string;
  readonly token: string;
  /** Kept work that it only judges again: as long as there is no verdict, that goes on. */
  readonly judges?: Snapshot;
}

type Position =
  | { readonly phase: 'pending' | 'stopped'; readonly judge?: Snapshot; readonly why?: VoidReason }
  | (Attempt & { readonly phase: 'running'; readonly stage: number })
  | (Attempt & { readonly phase: 'gating' })
  | (Attempt & {
      readonly phase: 'checkpointing';
      readonly passed: Extract<TaskEvent, { type: 'gates.passed' }>;
    })
  | (Attempt & { readonly phase: 'rolling-back'; readonly ended: Ended })
  | { readonly phase: 'waiting'; readonly until: string }
  | { readonly phase: 'passed'; readonly commit: string; readonly tag: string }
  | { readonly phase: 'failed' };

export type Ended =
  | { readonly how: 'rejected'; readonly failure: Failure }
  | {
      readonly how: 'voided';
      readonly why: VoidReason;
      readonly until?: string;
      /** What the next attempt is told. */
      readonly failure?: Failure;
    };

export type Phase = State['phase'];
export type Effect =
  'start-attempt' | 'run-agent' | 'run-gates' | 'create-checkpoint' | 'roll-back' | 'wait';

/** The event that an effect's port call comes back with: what moves the machine. */
export type Outcome = Extract<
  TaskEvent,
  {
    type:
      | 'attempt.started'
      | 'agent.finished'
      | 'agent.throttled'
      | 'gates.passed'
      | 'attempt.rejected'
      | 'attempt.voided'
      | 'rollback.done'
      | 'checkpoint.created'
      | 'wait.over';
  }
>;

const effectIn = {
  pending: 'start-attempt',
  running: 'run-agent',
  gating: 'run-gates',
  checkpointing: 'create-checkpoint',
  'rolling-back': 'roll-back',
  waiting: 'wait',
  stopped: undefined,
  passed: undefined,
  failed: undefined,
} as const satisfies Record<Phase, Effect | undefined>;

export const initial: State = { phase: 'pending', charged: 0, number: 0 };

/** The next thing to do for a task; undefined when nothing is left to do in this run. */
export function decide(state: State): Effect | undefined {
  return effectIn[state.phase];
}

/** Under way: an attempt has begun and is neither checkpointed nor rolled back, so a crash here left something to recover. */
export function isUnderWay(state: State): state is State & Attempt {
  return ['running', 'gating', 'checkpointing', 'rolling-back'].includes(state.phase);
}

/** Folds a task's events. Throws on an impossible history: that is our bug, never the agent's. */
export function replay(events: Iterable<TaskEvent>): State {
  let state = initial;
  for (const event of events) state = evolve(state, event);
  return state;
}

type EventOf<T extends TaskEvent['type']> = Extract<TaskEvent, { type: T }>;
type Handler<T extends TaskEvent['type']> = (state: State, event: EventOf<T>) => State;

const handlers: { readonly [T in TaskEvent['type']]: Handler<T> } = {
  'task.started': same,
  'gate.finished': same,
  'agent.throttled': throttle,
  'checkpoint.verified': same,
  'task.finished': finish,
  notice: same,
  'attempt.started': startAttempt,
  'agent.finished': (state) => ({ ...attemptIn(state, ['running']), phase: 'gating' }),
  'gates.passed': (state, event) => ({
    ...attemptIn(state, ['gating']),
    phase: 'checkpointing',
    passed: event,
  }),
  'attempt.rejected': (state, event) =>
    rollingBack(state, { how: 'rejected', failure: event.failure }),
  'attempt.voided': (state, event) =>
    rollingBack(state, {
      how: 'voided',
      why: event.why,
      ...(event.until !== undefined && { until: event.until }),
      ...(event.failure && { failure: event.failure }),
    }),
  'rollback.done': rolledBack,
  'checkpoint.created': (state, event) => {
    attemptIn(state, ['checkpointing']);
    return { ...progress(state), phase: 'passed', commit: event.commit, tag: event.tag };
  },
  'wait.over': (state) => ({ ...progress(from(state, ['waiting'])), phase: 'pending' }),
  'task.reopened': reopen,
};

/** The state after an event. Throws where the event is impossible. */
export function evolve(state: State, event: TaskEvent): State {
  const handler = handlers[event.type] as Handler<typeof event.type>;
  return handler(state, event);
}

function same(state: State): State {
  return state;
}

/** A person's limit may leave a task no attempt although none is under way: the next run begins it anew. */
function finish(state: State, event: EventOf<'task.finished'>): State {
  if (event.state !== 'failed' || state.phase !== 'pending') return state;
  return { ...progress(state), phase: 'failed' };
}

function startAttempt(state: State, event: EventOf<'attempt.started'>): State {
  const before = progress(from(state, ['pending']));
  if (event.number <= before.number)
    throw impossible(state, `attempt ${event.number} after ${before.number}`);
  const attempt = {
    ...before,
    // In a rebuilt history the attempts before it may be missing; five means five all the same.
    charged: Math.max(before.charged + 1, event.attempt),
    number: event.number,
    base: event.base,
    attempt: event.attempt,
    attempts: event.attempts,
    agent: event.agent,
    ...(event.model !== undefined && { model: event.model }),
    token: event.token,
  };
  return event.judge === undefined
    ? { ...attempt, phase: 'running', stage: 0 }
    : { ...attempt, judges: event.judge, phase: 'gating' };
}

/** Turned away during an attempt, its void says what follows; before one, every agent is limited, and that is waited for. */
function throttle(state: State, event: EventOf<'agent.throttled'>): State {
  if (state.phase !== 'pending') return state;
  return { ...progress(state), phase: 'waiting', until: event.until };
}

function rollingBack(state: State, ended: Ended): State {
  const open = attemptIn(state, ['running', 'gating', 'checkpointing']);
  return { ...open, phase: 'rolling-back', ended };
}

function rolledBack(state: State, event: EventOf<'rollback.done'>): State {
  const { ended, attempts, judges } = from(state, ['rolling-back']);
  if (ended.how === 'rejected') {
    const after = { ...progress(state), lastFailure: failureOf(state, ended.failure) };
    return { ...after, phase: after.charged < attempts ? 'pending' : 'failed' };
  }
  const { failure } = ended;
  const told = failure && { lastFailure: failureOf(state, failure) };
  const free = { ...progress(state), ...told, charged: state.charged - 1 };
  return { ...free, ...afterVoid(ended, { left: event.snapshot, judges }) };
}

function afterVoid(
  ended: Extract<Ended, { how: 'voided' }>,
  { left, judges }: { readonly left: Snapshot; readonly judges: Snapshot | undefined },
): Position {
  if (ended.why === 'throttled' && ended.until !== undefined)
    return { phase: 'waiting', until: ended.until };
  // Where the work tree was gone, nothing was kept.
  const kept = left.ref === '' ? undefined : left;
  const judge = judgeAfter(ended.why, { judges, kept });
  if (goesOn.has(ended.why)) return { phase: 'pending', ...(judge && { judge }) };
  return { phase: 'stopped', why: ended.why, ...(judge && { judge }) };
}

function reopen(state: State, event: EventOf<'task.reopened'>): State {
  const { judge } = {
    judge: undefined,
    ...from(state, ['stopped', 'failed', 'passed', 'pending', 'waiting']),
  };
  if (event.anew) return { phase: 'pending', charged: 0, number: state.number };
  return { ...progress(state), phase: 'pending', ...(judge && { judge }) };
}

function failureOf(state: State, failure: Failure): NonNullable<Progress['lastFailure']> {
  return { failure, number: state.number };
}

function progress(state: State): Progress {
  const { charged, number, lastFailure } = state;
  return { charged, number, ...(lastFailure && { lastFailure }) };
}

type In<P extends Phase> = Extract<State, { phase: P }>;

function from<P extends Phase>(state: State, phases: readonly P[]): In<P> {
  if (!(phases as readonly Phase[]).includes(state.phase))
    throw impossible(state, `expected ${phases.join(' or ')}`);
  return state as In<P>;
}

function attemptIn(
  state: State,
  phases: readonly ('running' | 'gating' | 'checkpointing')[],
): Progress & Attempt {
  const { base, attempt, attempts, agent, model, token, judges } = from(state, phases);
  const who = { agent, ...(model !== undefined && { model }) };
  return { ...progress(state), base, attempt, attempts, ...who, token, ...(judges && { judges }) };
}

function impossible(state: State, what: string): Error {
  return new Error(`impossible event in phase ${state.phase} (attempt ${state.number}): ${what}`);
}
