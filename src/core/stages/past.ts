/** What a task's events tell of its stages. */
import type { Snapshot, TaskEvent } from '../events.ts';
import { saysSame, type Finding } from './verdict.ts';

type Started = Extract<TaskEvent, { type: 'attempt.started' }>;
type Reviewed = Extract<TaskEvent, { type: 'review.finished' }>;

/** Since the task was last begun anew. */
function sinceAnew(events: readonly TaskEvent[]): readonly TaskEvent[] {
  return events.slice(
    1 + events.findLastIndex((event) => event.type === 'task.reopened' && event.anew),
  );
}

function isStart(event: TaskEvent): event is Started {
  return event.type === 'attempt.started';
}

function isReview(event: TaskEvent): event is Reviewed {
  return event.type === 'review.finished';
}

/** Whether the stages are still those that the last attempt was one of; a person may have changed them since. */
export function isSamePlan(
  events: readonly TaskEvent[],
  stages: readonly { readonly name: string }[],
): boolean {
  const { stage } = events.findLast(isStart) ?? {};
  if (stage === undefined) return false;
  return stage.of === stages.length && stages[stage.nth]?.name === stage.name;
}

/** How many attempts of a stage were rejected since the task was last begun anew: by its own review, or for another reason. */
export function rejectionsOf(
  events: readonly TaskEvent[],
  name: string,
): { readonly reviewed: number; readonly other: number } {
  let begun: Started | undefined;
  const counts = { reviewed: 0, other: 0 };
  for (const event of sinceAnew(events)) {
    if (isStart(event)) begun = event;
    if (event.type !== 'attempt.rejected' || begun?.stage?.name !== name) continue;
    if (event.failure.kind === 'reviewed') counts.reviewed += 1;
    else if (begun.judge === undefined) counts.other += 1;
  }
  return counts;
}

/** What the attempt under way has found, if it is a review that has answered. */
export function reviewUnderWay(events: readonly TaskEvent[]): Reviewed | undefined {
  return events.slice(Math.max(0, events.findLastIndex(isStart))).find(isReview);
}

/** How an attempt of a stage ended: it passed, or its review rejected; not a crash, or what gates said. */
interface StageEnd {
  readonly stage: string | undefined;
  readonly review: Reviewed | undefined;
  readonly isRejected: boolean;
}

function stageEndsIn(events: readonly TaskEvent[]): readonly StageEnd[] {
  const ends: StageEnd[] = [];
  let stage: string | undefined;
  let review: Reviewed | undefined;
  for (const event of events) {
    if (isStart(event)) [stage, review] = [event.stage?.name, undefined];
    if (isReview(event)) review = event;
    const isRejected = hasRejected(event);
    if (isRejected || isPassed(event)) ends.push({ stage, review, isRejected });
  }
  return ends;
}

function hasRejected(event: TaskEvent): boolean {
  return event.type === 'attempt.rejected' && event.failure.kind === 'reviewed';
}

function isPassed(event: TaskEvent): boolean {
  return event.type === 'attempt.voided' && event.why === 'stage';
}

/** Whether the stage under way has rejected the same tree for the same before: then neither side moves. */
export function isRepeated(events: readonly TaskEvent[], { findings, tree }: Reviewed): boolean {
  const name = events.findLast(isStart)?.stage?.name;
  return stageEndsIn(sinceAnew(events))
    .filter(({ stage, isRejected }) => isRejected && stage === name)
    .some(({ review }) => review?.tree === tree && saysSame(review.findings, findings));
}

/**
 * What reviews have rejected and not let pass since, the last one's first: until then it is to be mended, whatever attempts to do
 * so die of. Work that is begun anew is not what they saw.
 */
export function openFindings(events: readonly TaskEvent[]): readonly Finding[] {
  const recent = sinceAnew(events);
  const work = recent.slice(Math.max(0, recent.findLastIndex(isFromNothing)));
  const open = new Map<string | undefined, readonly Finding[]>();
  for (const { stage, review, isRejected } of stageEndsIn(work)) {
    open.delete(stage);
    if (isRejected) open.set(stage, review?.findings ?? []);
  }
  return [...open.values()].reverse().flat();
}

function isFromNothing(event: TaskEvent): boolean {
  return isStart(event) && event.onto === undefined && event.judge === undefined;
}

/** What an attempt found, by its number. */
export function findingsIn(events: readonly TaskEvent[], number: number): readonly Finding[] {
  const begun = events.findLastIndex((event) => isStart(event) && event.number === number);
  const rest = events.slice(begun + 1);
  const end = rest.findIndex(isStart);
  return (end === -1 ? rest : rest.slice(0, end)).find(isReview)?.findings ?? [];
}

/** What the same verdict stage found the last time, since the task was begun anew. */
export function lastFindings(events: readonly TaskEvent[], name: string): readonly Finding[] {
  let stage: string | undefined;
  let last: readonly Finding[] = [];
  for (const event of sinceAnew(events)) {
    if (isStart(event)) stage = event.stage?.name;
    if (isReview(event) && stage === name) last = event.findings;
  }
  return last;
}

/** The attempt that made a piece of kept work. */
export function makerOf(events: readonly TaskEvent[], { commit }: Snapshot): Started | undefined {
  const end = events.findLastIndex(
    (event) => event.type === 'rollback.done' && event.snapshot.commit === commit,
  );
  return end === -1 ? undefined : events.slice(0, end).findLast(isStart);
}
