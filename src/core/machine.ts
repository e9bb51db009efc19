import type { Snapshot, TaskEvent } from './events.ts';
import { goesOn, type Failure, type VoidReason } from './failure.ts';
import { judgeAfter } from './judge-after.ts';
import type { Attempt, Ended, Phase, Position, Progress, State } from './state.ts';
import { afterRejection, afterStage, placeOf, type Next } from './stages/moves.ts';

export type * from './state.ts';

export type Effect =
  'start-attempt' | 'run-agent' | 'run-gates' | 'create-checkpoint' | 'roll-back' | 'wait';

/** The event that an effect's port call comes back with: what moves the machine. */
export type Outcome = Extract<
  TaskEvent,
  {
    type:
      | 'attempt.started'
      | 'agent.finished'
      | 'review.finished'
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
  'task.told': same,
  'gate.finished': same,
  'review.finished': same,
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
    rollingBack(state, {
      how: 'rejected',
      failure: event.failure,
      ...(event.isLast && { isLast: event.isLast }),
    }),
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
    ...withoutPlace(before),
    ...placeOf(event, before.work),
    // In a rebuilt history the attempts before it may be missing; five means five all the same.
    charged: Math.max(before.charged + 1, event.attempt),
    number: event.number,
    base: event.base,
    attempt: event.attempt,
    attempts: event.attempts,
    agent: event.agent,
    ...(event.model !== undefined && { model: event.model }),
    token: event.token,
    ...(event.stage && { staged: event.stage }),
  };
  return event.judge === undefined
    ? { ...attempt, phase: 'running', stage: event.stage?.nth ?? 0 }
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
  const { ended, attempts, judges, staged } = from(state, ['rolling-back']);
  if (ended.how === 'rejected') {
    const after = { ...progress(state), lastFailure: failureOf(state, ended.failure) };
    const isOver = after.charged >= attempts || ended.failure.kind === 'stagnated';
    const isLast = isOver || ended.isLast === true;
    if (isLast) return { ...after, phase: 'failed' };
    return { ...after, ...afterRejection(ended.failure, staged, judges), phase: 'pending' };
  }
  const { failure } = ended;
  const told = failure && { lastFailure: failureOf(state, failure) };
  const free = { ...progress(state), ...told, charged: state.charged - 1 };
  const ending = { staged, judges, left: event.snapshot, work: state.work };
  const next = afterStage(ended.why, ending);
  if (next !== undefined) return goOn(free, ended.why, next);
  return { ...free, ...afterVoid(ended, { left: event.snapshot, judges }) };
}

function withoutPlace({ stage: _, work: _work, ...rest }: Progress): Progress {
  return rest;
}

/** What a stage died of before it passed is nothing to the next one. */
function goOn(free: Progress, why: VoidReason, { isAnew, ...next }: Next): State {
  if (isAnew) return { ...withoutPlace(free), phase: 'pending' };
  const { lastFailure, ...rest } = free;
  const told = why !== 'stage' && lastFailure && { lastFailure };
  return { ...rest, ...told, ...next, phase: 'pending' };
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
  const { charged, number, lastFailure, stage, work } = state;
  return {
    charged,
    number,
    ...(lastFailure && { lastFailure }),
    ...(stage && { stage }),
    ...(work && { work }),
  };
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
  const { base, attempt, attempts, agent, model, token, judges, staged } = from(state, phases);
  const who = { agent, ...(model !== undefined && { model }) };
  const own = { base, attempt, attempts, ...who, token, ...(judges && { judges }) };
  return { ...progress(state), ...own, ...(staged && { staged }) };
}

function impossible(state: State, what: string): Error {
  return new Error(`impossible event in phase ${state.phase} (attempt ${state.number}): ${what}`);
}
