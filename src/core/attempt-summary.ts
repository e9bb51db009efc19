import type { GateResult, Snapshot, TaskEvent } from './events.ts';
import type { Failure, VoidReason } from './failure.ts';
import { find, secondsBetween } from './history.ts';
import type { OfTask } from './history.ts';
import { usageOfStep } from './spending.ts';
import type { Finding } from './stages/verdict.ts';
import type { Usage } from './usage.ts';

export type AttemptOutcome =
  | {
      readonly kind: 'passed';
      readonly tag: string;
      readonly commit: string;
      readonly judged: boolean;
      /** Known from git alone, and not confirmed by `verify`. */
      readonly unproven: boolean;
    }
  | { readonly kind: 'rejected'; readonly failure: Failure }
  | { readonly kind: 'voided'; readonly why: VoidReason }
  /** Under way, or cut off and not yet recovered. */
  | { readonly kind: 'open' };

export interface AttemptSummary {
  readonly task: string;
  /** The N of `TASK#N`. */
  readonly number: number;
  /** 1…5 of `attempts`. */
  readonly attempt: number;
  readonly attempts: number;
  readonly run: string;
  readonly agent: string;
  /** In the agent's own words; undefined: its default. */
  readonly model?: string;
  readonly base: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** From its start to its last event. */
  readonly seconds: number;
  readonly outcome: AttemptOutcome;
  /** How the agent's process ended; undefined where it did not run or has not ended. */
  readonly agentEnd:
    { readonly ended: string; readonly seconds: number; readonly log: string } | undefined;
  /** What the agent's step took, as far as it is known; undefined where no agent worked. */
  readonly usage: Usage | undefined;
  readonly gates: readonly GateResult[];
  /** Name of the stage that it was; undefined where its task has none. */
  readonly stage?: string;
  /** What it found, where it was a review. */
  readonly findings?: readonly Finding[];
  readonly snapshot: Snapshot | undefined;
  /** The attempt whose kept work this one only judges: its prompt and its agent's log are there. */
  readonly judges?: {
    readonly number: number;
    readonly run: string;
    readonly log: string | undefined;
  };
}

/** The attempts of one task, oldest first, from the task's history. */
export function attemptsIn(task: string, history: readonly OfTask[]): readonly AttemptSummary[] {
  const starts = history.flatMap(({ event }, at) => (event.type === 'attempt.started' ? [at] : []));
  const attempts = starts.flatMap((from, nth) =>
    attemptOf(task, history.slice(from, starts[nth + 1])),
  );
  const verified = new Set(
    history.flatMap(({ event }) => (event.type === 'checkpoint.verified' ? [event.tag] : [])),
  );
  return attempts.map((attempt) => confirmed(attempt, verified)).map(withMaker(history));
}

/** Work that an attempt only judges was made in another, maybe of an earlier run. */
function withMaker(
  history: readonly OfTask[],
): (one: AttemptSummary, nth: number, all: readonly AttemptSummary[]) => AttemptSummary {
  const judged = new Map(
    history.flatMap(({ event }) =>
      event.type === 'attempt.started' && event.judge ? [[event.number, event.judge.commit]] : [],
    ),
  );
  return (one, _, all) => {
    const commit = judged.get(one.number);
    const maker = all.find(({ snapshot }) => commit !== undefined && snapshot?.commit === commit);
    if (maker === undefined || maker === one) return one;
    const { number, run, agentEnd, judges } = maker;
    return { ...one, judges: judges ?? { number, run, log: agentEnd?.log } };
  };
}

/** How many of them count. */
export function chargedIn(attempts: readonly AttemptSummary[]): number {
  return attempts.filter(({ outcome }) => outcome.kind !== 'voided').length;
}

/** It may be verified long after the next attempt has begun. */
function confirmed(attempt: AttemptSummary, verified: ReadonlySet<string>): AttemptSummary {
  const { outcome } = attempt;
  if (outcome.kind !== 'passed' || !verified.has(outcome.tag)) return attempt;
  return { ...attempt, outcome: { ...outcome, judged: true, unproven: false } };
}

/** Commits that passed: those that gates stood behind (with `--no-gates` none did), and those that git alone tells of. */
export interface Passes {
  readonly judged: ReadonlySet<string>;
  readonly rebuilt: ReadonlySet<string>;
}

export function passesIn(history: readonly OfTask[]): Passes {
  const [judged, rebuilt] = [new Set<string>(), new Set<string>()];
  for (const { event } of history) {
    if (event.type !== 'gates.passed') continue;
    if (event.gates.length > 0) judged.add(event.commit);
    if (event.rebuilt === true) rebuilt.add(event.commit);
  }
  return { judged, rebuilt };
}

function attemptOf(task: string, slice: readonly OfTask[]): readonly AttemptSummary[] {
  const started = find(slice, 'attempt.started');
  if (started === undefined) return [];
  const { number, attempt, attempts, agent, model, base } = started.event;
  const agentEnd = find(slice, 'agent.finished')?.event;
  const review = find(slice, 'review.finished')?.event;
  return [
    {
      task,
      number,
      attempt,
      attempts,
      agent,
      ...(model !== undefined && { model }),
      base,
      run: started.run,
      startedAt: started.at,
      seconds: secondsBetween(started, slice.findLast(belongs)),
      outcome: outcomeOf(slice),
      agentEnd: agentEnd && {
        ended: agentEnd.ended,
        seconds: agentEnd.seconds,
        log: agentEnd.log,
      },
      usage: usageOfStep(started.event, agentEnd),
      gates: slice.flatMap(({ event }) => (event.type === 'gate.finished' ? [event] : [])),
      ...(started.event.stage && { stage: started.event.stage.name }),
      ...(review && { findings: review.findings }),
      snapshot: find(slice, 'rollback.done')?.event.snapshot,
    },
  ];
}

/** What comes after an attempt, such as a wait, is not its time. */
const afterwards: ReadonlySet<TaskEvent['type']> = new Set([
  'wait.over',
  'checkpoint.verified',
  'task.reopened',
  'task.started',
  'task.told',
  'task.finished',
  'notice',
]);

function belongs({ event }: OfTask): boolean {
  return !afterwards.has(event.type);
}

function outcomeOf(slice: readonly OfTask[]): AttemptOutcome {
  const created = find(slice, 'checkpoint.created')?.event;
  if (created !== undefined) {
    const { tag, commit } = created;
    const { judged, rebuilt } = passesIn(slice);
    const unproven = rebuilt.has(commit);
    return { kind: 'passed', tag, commit, judged: judged.has(commit), unproven };
  }
  const rejected = find(slice, 'attempt.rejected')?.event;
  if (rejected !== undefined) return { kind: 'rejected', failure: rejected.failure };
  const voided = find(slice, 'attempt.voided')?.event;
  return voided === undefined ? { kind: 'open' } : { kind: 'voided', why: voided.why };
}
