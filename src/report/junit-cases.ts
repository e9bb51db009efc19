import type { AttemptSummary } from '../core/attempt-summary.ts';
import type { GateResult } from '../core/events.ts';
import { describeFailure, describeVoid, type FailureKind } from '../core/failure.ts';
import {
  attemptName,
  type AttemptDetails,
  type ReportedTask,
  type RunReport,
} from '../core/run-report.ts';

/** One test case, as a CI page counts it. */
export interface JunitCase {
  readonly name: string;
  readonly seconds: number;
  readonly result: 'passed' | 'failure' | 'error' | 'skipped';
  /** A word for the kind of failure. */
  readonly type?: string;
  readonly message?: string;
  /** What the gate printed. */
  readonly output?: string;
}

/**
 * The cases of each task of a run, in the run's order: together they are red, that is, have a failure or an error, where the run
 * ended with 1 or a gate could not judge. Where no task failed in it, it ended so for those that are blocked.
 */
export function junitCases(
  { run, tasks }: RunReport,
  details: AttemptDetails = new Map(),
): readonly (readonly JunitCase[])[] {
  const isBlocked = run.status === 1 && tasks.every(({ state }) => state !== 'failed');
  return tasks.map((task) => {
    const cases = casesOf(task, details);
    if (task.state !== 'blocked' || !isBlocked) return cases;
    return [...cases.slice(0, -1), ...cases.slice(-1).map((one) => ({ ...one, ...blocked }))];
  });
}

const blocked = { result: 'failure', type: 'blocked' } as const;

/**
 * The cases of a task: one for each gate of each attempt, one more for an attempt that no gate decided on, and at least one. Only
 * what keeps the task from having passed is a failure or an error: what was rejected on the way is skipped, with its reason.
 */
function casesOf(task: ReportedTask, details: AttemptDetails): readonly JunitCase[] {
  const isFinal = task.state === 'failed';
  const cases = task.attempts.flatMap((attempt) => {
    const outputs = details.get(attemptName(attempt))?.outputs;
    const gates = attempt.gates.map((gate) =>
      gateCase(gate, { attempt, isFinal, task, output: outputs?.get(gate.name) }),
    );
    return [...gates, ...ownCase(attempt, isFinal)];
  });
  return unique([...cases, ...taskCase(task, cases)]);
}

interface Place {
  readonly attempt: AttemptSummary;
  /** The task has failed for good. */
  readonly isFinal: boolean;
  readonly task: ReportedTask;
  readonly output: string | undefined;
}

function gateCase(gate: GateResult, place: Place): JunitCase {
  const { verdict, ended, seconds, soft, tail } = gate;
  const base = { name: nameOf(place.attempt, gate.name), seconds };
  if (verdict === 'pass') return { ...base, result: 'passed' };
  if (verdict === 'skipped') return { ...base, result: 'skipped', message: ended };
  const output = place.output ?? tail;
  const result = redOf(gate, place);
  if (result !== undefined)
    return { ...base, result, type: verdict, message: `${gate.name}: ${ended}`, output };
  const why = soft ? 'soft: it does not reject' : onward(place.task);
  return { ...base, result: 'skipped', message: `${verdict} (${ended}); ${why}`, output };
}

/** What of a gate's verdict a CI page shows in red. */
function redOf(gate: GateResult, place: Place): 'failure' | 'error' | undefined {
  if (gate.soft) return undefined;
  const { kind } = place.attempt.outcome;
  const isRejected = place.isFinal && kind === 'rejected';
  if (gate.verdict === 'error') return isRejected || stopsAt(place) ? 'error' : undefined;
  if (!isRejected) return undefined;
  return gate.verdict === 'timeout' ? 'error' : 'failure';
}

/** It could not judge, and nothing has judged since: the run stopped for it. */
function stopsAt({ attempt, task }: Place): boolean {
  const { outcome } = attempt;
  const isOpen = outcome.kind === 'voided' && outcome.why === 'gate-error';
  return isOpen && task.attempts.at(-1) === attempt && !isDone(task);
}

function isDone({ state }: ReportedTask): boolean {
  return state === 'passed' || state === 'unproven' || state === 'unjudged' || state === 'ticked';
}

function onward(task: ReportedTask): string {
  const passed = task.attempts.find(({ outcome }) => outcome.kind === 'passed');
  if (passed !== undefined) return `${attemptName(passed)} passed`;
  return task.state === 'pending' ? 'the task goes on' : `the task is ${task.state}`;
}

/** These say nothing of the work: something broke. */
const broken: ReadonlySet<FailureKind> = new Set([
  ...(['agent-error', 'timed-out', 'idle', 'crashed'] as const),
]);

/** The case of an attempt that something else than its gates decided on. */
function ownCase(attempt: AttemptSummary, isFinal: boolean): readonly JunitCase[] {
  const { outcome, seconds } = attempt;
  const own = (name: string, rest: Omit<JunitCase, 'name' | 'seconds'>): readonly JunitCase[] => [
    { name: nameOf(attempt, name), seconds, ...rest },
  ];
  if (outcome.kind === 'open')
    return own('under way', { result: 'skipped', message: 'under way, or cut off' });
  if (outcome.kind === 'voided') {
    if (attempt.gates.some(({ verdict }) => verdict === 'error')) return [];
    const message = `does not count: ${describeVoid(outcome.why)}`;
    return own(outcome.why, { result: 'skipped', message });
  }
  if (outcome.kind === 'passed')
    return attempt.gates.length > 0 ? [] : own(...withoutGates(outcome.judged));
  if (attempt.gates.some(rejects)) return [];
  const { kind } = outcome.failure;
  const red = broken.has(kind) ? 'error' : 'failure';
  const message = describeFailure(outcome.failure);
  return own(kind, { result: isFinal ? red : 'skipped', type: kind, message });
}

function withoutGates(
  wasJudged: boolean,
): readonly [string, Pick<JunitCase, 'result' | 'message'>] {
  return wasJudged
    ? ['checkpoint', { result: 'passed' }]
    : ['unjudged', { result: 'skipped', message: 'no gate judged it (--no-gates)' }];
}

function rejects({ soft, verdict }: GateResult): boolean {
  return !soft && (verdict === 'fail' || verdict === 'timeout');
}

/** What the attempts do not say of the task: it was blocked, has none yet, or failed without a word. */
function taskCase(task: ReportedTask, cases: readonly JunitCase[]): readonly JunitCase[] {
  const { state, seconds, why } = task;
  const isTold = cases.some(({ result }) => result === 'failure' || result === 'error');
  if (state === 'failed' && !isTold)
    return [{ name: state, seconds, result: 'failure', type: state, message: why ?? 'it failed' }];
  if (state !== 'blocked' && cases.length > 0) return [];
  return [{ name: state, seconds: 0, result: 'skipped', message: why ?? state }];
}

function nameOf(attempt: AttemptSummary, what: string): string {
  return `attempt ${attempt.number}: ${what}`;
}

/** CI pages keep one of two cases of the same name. */
function unique(cases: readonly JunitCase[]): readonly JunitCase[] {
  const seen = new Map<string, number>();
  return cases.map((one) => {
    const times = (seen.get(one.name) ?? 0) + 1;
    seen.set(one.name, times);
    return times === 1 ? one : { ...one, name: `${one.name} (${times})` };
  });
}
