import type {
  Event,
  GateResult,
  RunCounts,
  RunEvent,
  Snapshot,
  StageOf,
  TaskEvent,
  TaskOutcome,
  TeamEnd,
  Verdict,
} from '../core/events.ts';
import { failureKinds, isVoidReason, type Failure } from '../core/failure.ts';
import { severities } from '../core/stages/severity.ts';
import type { Finding } from '../core/stages/verdict.ts';
import type { Usage } from '../core/usage.ts';

export type Check = (value: unknown) => boolean;
/** One for each field, so that the compiler finds the one that was forgotten. Fields that are not listed are left alone. */
export type Checks<T> = { readonly [K in keyof T]-?: Check };
type ChecksOf<E extends Event> = {
  readonly [T in E['type']]: Checks<Omit<Extract<E, { readonly type: T }>, 'type'>>;
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name of the first field that is missing or wrong; undefined where all are right. */
export function wrongField(
  record: Record<string, unknown>,
  checks: Readonly<Record<string, Check>>,
): string | undefined {
  for (const name in checks) if (checks[name]?.(record[name]) === false) return name;
  return undefined;
}

export const text: Check = (value) => typeof value === 'string';
export const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const flag: Check = (value) => typeof value === 'boolean';
const seconds: Check = (value) => typeof value === 'number' && value >= 0;
const exit: Check = (value) => value === null || Number.isSafeInteger(value);

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function recordOf<T>(checks: Checks<T>): Check {
  return (value) => isRecord(value) && wrongField(value, checks) === undefined;
}

/** Takes the words as keys, so that the compiler finds the one that was forgotten. */
function wordOf<W extends string>(words: Readonly<Record<W, true>>): Check {
  return (value) => typeof value === 'string' && Object.hasOwn(words, value);
}

const snapshot = recordOf<Snapshot>({ ref: text, commit: text });

const gateResult: Checks<GateResult> = {
  name: text,
  command: text,
  verdict: wordOf<Verdict>({ pass: true, fail: true, error: true, timeout: true, skipped: true }),
  ended: text,
  exit,
  seconds,
  soft: flag,
  digest: text,
  tail: text,
  log: text,
};

const failure = recordOf<Failure>({
  kind: (value) => failureKinds.some((kind) => kind === value),
  detail: optional(text),
  paths: optional(listOf(text)),
  gates: optional(listOf(text)),
});

const usage = recordOf<Usage>({
  input: optional(count),
  output: optional(count),
  usd: optional(seconds),
  atLeast: optional((value) => value === true),
});

const finding = recordOf<Finding>({
  file: text,
  line: optional(count),
  severity: (value) => severities.some((one) => one === value),
  message: text,
  suggestion: optional(text),
});

const outcome = wordOf<TaskOutcome>({
  passed: true,
  unjudged: true,
  failed: true,
  blocked: true,
  stopped: true,
  skipped: true,
});

const counts = recordOf<RunCounts>({
  passed: count,
  failed: count,
  blocked: count,
  skipped: count,
  unjudged: count,
  pending: count,
});

export const taskEvents: ChecksOf<TaskEvent> = {
  'task.started': { title: text, line: count, mark: optional(text) },
  'attempt.started': {
    number: count,
    attempt: count,
    attempts: count,
    base: text,
    agent: text,
    token: text,
    ...{ worktree: text, slot: optional(count) },
    judge: optional(snapshot),
    continues: optional(snapshot),
    model: optional(text),
    stage: optional(
      recordOf<StageOf>({ nth: count, name: text, of: count, reviews: optional(count) }),
    ),
    onto: optional(snapshot),
  },
  'review.finished': {
    verdict: wordOf({ pass: true, block: true }),
    findings: listOf(finding),
    tree: text,
  },
  'agent.finished': {
    ...{ seconds, ended: text, exit, log: text },
    usage: optional(usage),
    session: optional(text),
    key: optional(text),
  },
  'agent.throttled': {
    ...{ until: text, agent: optional(text), next: optional(text) },
    why: optional(wordOf<'limit' | 'overload'>({ limit: true, overload: true })),
    ...{ own: optional(flag), waits: optional(flag) },
  },
  'gate.finished': gateResult,
  'gates.passed': {
    commit: text,
    tag: text,
    proof: text,
    proofObject: text,
    gates: listOf(recordOf(gateResult)),
    left: optional(text),
    rebuilt: optional(flag),
  },
  'attempt.rejected': { failure, left: optional(text), isLast: optional(flag) },
  'attempt.voided': {
    ...{ why: isVoidReason, until: optional(text), failure: optional(failure) },
    left: optional(text),
    judged: optional(recordOf({ tree: text, gatesHash: text })),
  },
  'rollback.done': { snapshot, kept: optional(flag) },
  'checkpoint.created': { tag: text, commit: text },
  'checkpoint.verified': { tag: text, commit: text },
  'wait.over': {},
  'task.told': { note: text, text, by: text },
  'task.reopened': { anew: flag },
  'task.finished': { state: outcome, why: optional(text) },
  notice: { message: text },
};

export const runEvents: ChecksOf<RunEvent> = {
  'run.started': {
    schema: (value) => value === 1,
    plan: text,
    base: text,
    branch: text,
    start: text,
    options: isRecord,
  },
  'baseline.finished': {
    verdict: wordOf({ pass: true, fail: true, skipped: true }),
    gates: listOf(recordOf(gateResult)),
  },
  notice: { message: text },
  'run.paused': { since: text, by: text },
  'run.resumed': {},
  'plan.changed': {
    ...{ commit: text, added: listOf(text), removed: listOf(text), changed: listOf(text) },
  },
  'run.finished': {
    status: count,
    why: optional(text),
    counts,
    team: optional(recordOf<TeamEnd>({ tree: text, failed: listOf(text) })),
  },
};
