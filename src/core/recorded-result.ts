import type { Snapshot, TaskEvent } from './events.ts';
import type { Failure, FailureKind } from './failure.ts';

/** What an attempt came to, as far as it can be laid out again. */
export interface RecordedResult {
  /** The N of `TASK#N`. */
  readonly number: number;
  readonly exit: number | null;
  /** Why the attempt ended with the agent's step; undefined where its tree was looked at. */
  readonly failure?: Failure;
  /** The tree that gates were to judge, or else the commit that holds what was left. */
  readonly tree: string;
  /** The tree that gates were given; undefined where none was. */
  readonly left?: string | undefined;
  /** Where all is kept that a rejected attempt left. */
  readonly snapshot?: Snapshot;
}

/** How a step ends that was taken from the record: `replayed TASK#N`. */
export function replayedAs(from: string): string {
  return `replayed ${from}`;
}

/** What notices of a replay begin with: they are for the user, not for the next attempt's agent. */
export const replayNotice = 'replay: ';

const ofAgent: ReadonlySet<FailureKind> = new Set(['agent-error', 'timed-out', 'idle'] as const);

/** Not what the agent did, or with files that no tree holds. */
const notRepeatable: ReadonlySet<FailureKind> = new Set([
  ...(['crashed', 'conflict'] as const),
  ...(['unaddable', 'nested-repo', 'too-large', 'unignored'] as const),
]);

/** The newest attempt with this key whose work was judged; undefined where there is none. */
export function recordedResult(
  events: readonly TaskEvent[],
  key: string,
): RecordedResult | undefined {
  const starts = events.flatMap((event, at) => (event.type === 'attempt.started' ? [at] : []));
  const attempts = starts.map((from, nth) => events.slice(from, starts[nth + 1]));
  return attempts
    .toReversed()
    .filter((attempt) => keyOf(attempt, attempts) === key)
    .map(resultOf)
    .find((result) => result !== undefined);
}

type Attempt = readonly TaskEvent[];

/** The newest review with this key that has answered; undefined where there is none. */
export function recordedReview(
  events: readonly TaskEvent[],
  key: string,
):
  | {
      readonly number: number;
      readonly review: Extract<TaskEvent, { type: 'review.finished' }>;
    }
  | undefined {
  const starts = events.flatMap((event, at) => (event.type === 'attempt.started' ? [at] : []));
  for (const [nth, from] of [...starts.entries()].toReversed()) {
    const attempt = events.slice(from, starts[nth + 1]);
    const review = find(attempt, 'review.finished');
    if (review === undefined || find(attempt, 'agent.finished')?.key !== key) continue;
    return { number: find(attempt, 'attempt.started')?.number ?? 0, review };
  }
  return undefined;
}

/**
 * Work that was only judged again has the key of the attempt that made it; not where it was made ahead of its turn, and lay on
 * other work by then.
 */
function keyOf(attempt: Attempt, all: readonly Attempt[]): string | undefined {
  const own = find(attempt, 'agent.finished')?.key;
  const judged = find(attempt, 'attempt.started')?.judge?.commit;
  if (own !== undefined || judged === undefined) return own;
  const maker = all.find((one) => find(one, 'rollback.done')?.snapshot.commit === judged);
  const isMade = maker !== undefined && maker !== attempt;
  return isMade && aheadIn(maker) === undefined ? keyOf(maker, all) : undefined;
}

function resultOf(attempt: Attempt): RecordedResult | undefined {
  const number = find(attempt, 'attempt.started')?.number ?? 0;
  const exit = find(attempt, 'agent.finished')?.exit ?? 0;
  const left = leftOf(attempt);
  return left && { number, exit, ...left };
}

type Left = Omit<RecordedResult, 'number' | 'exit'>;

function leftOf(attempt: Attempt): Left | undefined {
  const passed = find(attempt, 'gates.passed');
  if (passed !== undefined && find(attempt, 'checkpoint.created') !== undefined)
    return { tree: passed.left ?? passed.commit, left: passed.left };
  const snapshot = find(attempt, 'rollback.done')?.snapshot;
  const good = goodIn(attempt);
  if (good !== undefined && snapshot !== undefined) return { tree: good, left: good, snapshot };
  const rejected = find(attempt, 'attempt.rejected');
  return rejected && leftByRejected(rejected, snapshot);
}

/** What passed, but is no checkpoint: ahead of its turn, or a stage. */
function goodIn(attempt: Attempt): string | undefined {
  return aheadIn(attempt)?.tree ?? find(attempt, 'attempt.voided')?.left;
}

function aheadIn(attempt: Attempt): { readonly tree: string } | undefined {
  return find(attempt, 'attempt.voided')?.judged;
}

function leftByRejected(
  { failure, left }: Pick<Extract<TaskEvent, { type: 'attempt.rejected' }>, 'failure' | 'left'>,
  snapshot: Snapshot | undefined,
): Left | undefined {
  if (snapshot === undefined || snapshot.ref === '' || notRepeatable.has(failure.kind))
    return undefined;
  const tree = left ?? snapshot.commit;
  return { tree, left, snapshot, ...(ofAgent.has(failure.kind) && { failure }) };
}

/** What the last attempt that was rejected had left for the gates; undefined where it came to none. */
export function lastLeft(events: readonly TaskEvent[], number: number): string | undefined {
  const begun = events.findLastIndex((e) => e.type === 'attempt.started' && e.number === number);
  return begun === -1 ? undefined : find(events.slice(begun), 'attempt.rejected')?.left;
}

function find<T extends TaskEvent['type']>(
  events: Attempt,
  type: T,
): Extract<TaskEvent, { type: T }> | undefined {
  return events.find((event): event is Extract<TaskEvent, { type: T }> => event.type === type);
}
