import type { Recorded, Snapshot } from './events.ts';
import type { Ended } from './machine.ts';
import { parseProof, type Proof } from './proof.ts';
import { checkpointTag, attemptRef, taskSlug } from './refs.ts';
import { readSnapshotTrailers } from './snapshot-words.ts';
import type { AttemptTrace, CheckpointTrace, OpenTrace, PlanTraces } from './traces.ts';

interface Seen {
  /** The task's own id. */
  readonly task: string;
  /** The N of `TASK#N`; a half where only its neighbours are known. */
  readonly number: number;
  /** 1…5; undefined where git does not tell. */
  readonly attempt: number | undefined;
  readonly attempts: number | undefined;
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly agent: string;
  readonly base: string;
}

/** One attempt as git shows it. */
export type Sighting =
  | (Seen & { readonly kind: 'kept'; readonly snapshot: Snapshot; readonly ended: Ended })
  | (Seen & {
      readonly kind: 'passed';
      readonly tag: string;
      readonly commit: string;
      readonly proof: string;
      readonly proofObject: string;
    })
  | (Seen & {
      readonly kind: 'open';
      readonly token: string;
      readonly worktree: string;
      /** Where its snapshot says how it ended, although it was not rolled back. What never began does not count. */
      readonly ended: Ended | undefined;
    });

type Of<K extends Sighting['kind']> = Extract<Sighting, { readonly kind: K }>;

/** What stands in a rebuilt history where nothing tells; as a token, no process carries it. */
export const notKnown = 'unknown';

/**
 * Attempts that git shows, in their order; what a history knows as passed is left out. Of an attempt under way and of what
 * came after, its own record tells, and nothing that it could have made: a tag without a proof of its commit is no checkpoint.
 */
export function sightings(telling: {
  readonly plan: string;
  readonly history: readonly Recorded[];
  readonly traces: PlanTraces;
}): readonly Sighting[] {
  const { plan, traces, history } = telling;
  const open = traces.open
    .filter((one) => one.hasBegun || history.length === 0)
    .map(openOf(traces, plan));
  const kept = traces.attempts.flatMap(keptOf);
  const known = knownTags(history);
  const passes = traces.checkpoints
    .flatMap((trace) => passedOf(trace, plan, kept))
    .filter(({ tag }) => !known.has(tag));
  const isBefore = (one: Sighting): boolean =>
    !open.some(({ task, number }) => task === one.task && number <= one.number);
  const before = passes.filter(isBefore);
  const isTold = ({ task, number }: Of<'kept'>): boolean =>
    before.some((one) => task === one.task && number === one.number);
  const unfinished = kept.filter((one) => isBefore(one) && !isTold(one));
  return [...before, ...unfinished, ...open].sort((a, b) => a.number - b.number);
}

function knownTags(history: readonly Recorded[]): ReadonlySet<string> {
  return new Set(
    history.flatMap(({ event }) =>
      event.type === 'gates.passed' || event.type === 'checkpoint.created' ? [event.tag] : [],
    ),
  );
}

/** The baseline run's has no task. */
function keptOf(trace: AttemptTrace): readonly Of<'kept'>[] {
  const { ref, commit, number, base, at, trailers } = trace;
  const task = idOf(trailers.get('Skeleton-Task'), trace.task);
  if (task === undefined || number === 0) return [];
  const told = readSnapshotTrailers(trailers);
  return [
    {
      ...{ kind: 'kept', task, number, base, at },
      ...counted(told),
      snapshot: { ref, commit },
      ended: told.ended ?? {
        how: 'rejected',
        failure: { kind: 'crashed', detail: 'or no record of it is left' },
      },
    },
  ];
}

/** A task's id, where a stranger's text is the one that the ref's name stands for. */
function idOf(id: string | undefined, slug: string): string | undefined {
  if (id !== undefined && id !== '' && taskSlug(id) === slug) return id;
  return undefined;
}

function notBegun({ hasBegun }: OpenTrace): Ended | undefined {
  return hasBegun ? undefined : { how: 'voided', why: 'interrupted' };
}

function openOf(traces: PlanTraces, plan: string): (trace: OpenTrace) => Of<'open'> {
  return (one) => {
    const { id, number, base, at, worktree, facts } = one;
    const ref = attemptRef(plan, taskSlug(id), number);
    const half = traces.attempts.find((kept) => kept.ref === ref);
    return {
      ...{ kind: 'open', task: id, number, base, at, worktree },
      attempt: facts?.attempt,
      attempts: facts?.attempts,
      run: facts?.run ?? notKnown,
      agent: facts?.agent ?? notKnown,
      token: facts?.token ?? notKnown,
      ended: half === undefined ? notBegun(one) : readSnapshotTrailers(half.trailers).ended,
    };
  };
}

/** The trailers only give it a name and a place: they prove nothing. */
function passedOf(
  trace: CheckpointTrace,
  plan: string,
  kept: readonly Of<'kept'>[],
): readonly Of<'passed'>[] {
  const { trailers, commit, at, parent } = trace;
  const proof = trace.proof && parseProof(trace.proof.text);
  if (trace.proof === undefined || proof?.tree !== trace.tree) return [];
  const task = taskOf(trace, plan, proof);
  if (task === undefined) return [];
  const number = proof.number ?? numberBetween(kept, task, at);
  return [
    {
      ...{ kind: 'passed', task, number, at, commit },
      ...counted(readSnapshotTrailers(trailers)),
      tag: checkpointTag(plan, trace.number, taskSlug(task)),
      base: proof.base ?? parent,
      proof: trace.proof.ref,
      proofObject: trace.proof.object,
    },
  ];
}

/** Undefined where the names do not go together: then it is none of ours. */
function taskOf(
  { trailers, tag, number }: CheckpointTrace,
  plan: string,
  proof: Proof,
): string | undefined {
  const task = trailers.get('Skeleton-Task') ?? '';
  if (task === '') return undefined;
  const isNamed =
    tag === undefined ? proof.task === task : tag === checkpointTag(plan, number, taskSlug(task));
  return isNamed ? task : undefined;
}

function counted(
  told: ReturnType<typeof readSnapshotTrailers>,
): Pick<Seen, 'attempt' | 'attempts' | 'run' | 'agent'> {
  const { attempt, attempts, run = notKnown, agent = notKnown } = told;
  return { attempt, attempts, run, agent };
}

/** Just after the attempts that were kept by then. */
function numberBetween(kept: readonly Of<'kept'>[], task: string, at: string): number {
  const before = kept.filter((one) => one.task === task && one.at <= at);
  return Math.max(0, ...before.map(({ number }) => number)) + 0.5;
}
