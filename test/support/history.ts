import type { Event, GateResult, Recorded } from '../../src/core/events.ts';
import type { EventOf } from '../../src/core/history.ts';

/** Histories for tests: events as a ledger would have recorded them, one second after the other. */

const BASE = 'a'.repeat(40);
const COMMIT = 'c'.repeat(40);
const SNAPSHOT = 'd'.repeat(40);

export interface Entry {
  readonly task: string;
  readonly event: Event;
  readonly run?: string;
  /** Seconds after the first event; by default one after the event before. */
  readonly at?: number;
}

export function record(entries: readonly Entry[]): readonly Recorded[] {
  const seqs = new Map<string, number>();
  let second = -1;
  return entries.map(({ task, event, run = 'run-1', at }) => {
    second = at ?? second + 1;
    const seq = (seqs.get(task) ?? 0) + 1;
    seqs.set(task, seq);
    const time = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
    return { run, at: time, plan: 'plan', task, seq, event };
  });
}

export function gate(changes: Partial<GateResult> = {}): GateResult {
  return {
    name: 'check.sh',
    command: 'gates/check.sh',
    verdict: 'pass',
    ended: 'exit 0',
    exit: 0,
    seconds: 0.5,
    soft: false,
    digest: 'sha256:00',
    tail: '',
    log: 'logs/run-1/a/1/gate-check.sh.log',
    ...changes,
  };
}

export const red: GateResult = gate({
  verdict: 'fail',
  ended: 'exit 1',
  exit: 1,
  tail: 'one\nerror: two is not three\nfour',
});

export function runStarted(changes: Partial<EventOf<'run.started'>> = {}): Event {
  return {
    type: 'run.started',
    schema: 1,
    plan: 'PLAN.md',
    base: BASE,
    branch: 'refs/heads/main',
    start: 'refs/tags/skeleton/plan/0000-start',
    options: {
      tasks: ['a', 'b', 'c'],
      attempts: 5,
      timeout: 1_800_000,
      gateTimeout: 900_000,
      maxTime: 28_800_000,
    },
    ...changes,
  };
}

export function runFinished(changes: Partial<EventOf<'run.finished'>> = {}): Event {
  const counts = { passed: 0, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending: 0 };
  return { type: 'run.finished', status: 0, why: 'done', counts, ...changes };
}

export function attemptStarted(number: number, attempt = number): Event {
  return {
    type: 'attempt.started',
    number,
    attempt,
    attempts: 5,
    base: BASE,
    agent: 'sh agent.sh',
    token: `token-${number}`,
    worktree: 'main',
  };
}

export const agentFinished: Event = {
  type: 'agent.finished',
  seconds: 2,
  ended: 'exit 0',
  exit: 0,
  log: 'logs/run-1/a/1/agent.log',
};

export function gateFinished(result: GateResult): Event {
  return { type: 'gate.finished', ...result };
}

/** A task's first lines: begun, an attempt begun, the agent done. */
export function begun(task: string, number = 1, attempt = number): readonly Entry[] {
  return [attemptStarted(number, attempt), agentFinished].map((event) => ({ task, event }));
}

/** A rejected attempt, whole. */
export function rejected(task: string, number = 1, attempt = number): readonly Entry[] {
  const failure = { kind: 'gate-failed', gates: ['check.sh'] } as const;
  const ref = `refs/skeleton/attempts/plan/${task}/${number}`;
  const rest: readonly Event[] = [
    gateFinished(red),
    { type: 'attempt.rejected', failure },
    { type: 'rollback.done', snapshot: { ref, commit: SNAPSHOT } },
  ];
  return [...begun(task, number, attempt), ...rest.map((event) => ({ task, event }))];
}

/** A passed attempt, whole; without gates it is unjudged. */
export function passed(
  task: string,
  number = 1,
  gates: readonly GateResult[] = [gate()],
): readonly Entry[] {
  const tag = `refs/tags/skeleton/plan/000${number}-${task}`;
  const rest: readonly Event[] = [
    ...gates.map(gateFinished),
    {
      type: 'gates.passed',
      commit: COMMIT,
      tag,
      proof: `refs/skeleton/proof/plan/000${number}`,
      proofObject: 'e'.repeat(40),
      gates,
    },
    { type: 'checkpoint.created', tag, commit: COMMIT },
  ];
  return [...begun(task, number), ...rest.map((event) => ({ task, event }))];
}

export function taskStarted(task: string, line = 1): Entry {
  return { task, event: { type: 'task.started', title: `Title of ${task}`, line } };
}

export function taskFinished(
  task: string,
  state: EventOf<'task.finished'>['state'],
  why?: string,
): Entry {
  return { task, event: { type: 'task.finished', state, ...(why !== undefined && { why }) } };
}

export function ofRun(event: Event): Entry {
  return { task: '', event };
}
