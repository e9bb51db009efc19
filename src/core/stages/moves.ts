/** Where a task with stages goes on: the part of the machine (core/machine.ts) that knows of them. */
import type { Snapshot, StageOf, TaskEvent } from '../events.ts';
import type { Failure, VoidReason } from '../failure.ts';

type Started = Extract<TaskEvent, { type: 'attempt.started' }>;

export interface Place {
  readonly stage?: number;
  readonly work?: Snapshot;
}

/** The place of an attempt that begins: work that it only judges is not the work it was made on. */
export function placeOf({ stage, onto, judge }: Started, before: Snapshot | undefined): Place {
  const work = onto ?? (judge === undefined || stage === undefined ? undefined : before);
  return {
    ...(stage !== undefined && stage.nth > 0 && { stage: stage.nth }),
    ...(work && { work }),
  };
}

/** What follows an attempt. */
export interface Next extends Place {
  /** From the first stage, with nothing. */
  readonly isAnew?: true;
  readonly judge?: Snapshot;
}

/**
 * What follows a rejection that is not the last: the same stage again, but for work that a review, or the gates after the last
 * one, did not let pass: that goes back to the stage that made it.
 */
export function afterRejection(
  { kind }: Failure,
  staged: StageOf | undefined,
  judges: Snapshot | undefined,
): Next {
  if (staged?.reviews === undefined) return {};
  if (judges !== undefined && kind === 'crashed') return { judge: judges };
  return judges !== undefined || kind === 'reviewed' ? { stage: staged.reviews } : {};
}

interface Ending {
  readonly staged: StageOf | undefined;
  /** Work that it only judged. */
  readonly judges: Snapshot | undefined;
  /** What the rollback kept; its ref is '' where the work tree was gone. */
  readonly left: Snapshot;
  /** Of the stages before it. */
  readonly work: Snapshot | undefined;
}

/** What follows an attempt that ended without cost; undefined where that has nothing to do with stages. */
export function afterStage(why: VoidReason, ending: Ending): Next | undefined {
  const { staged, judges } = ending;
  if (staged === undefined) return undefined;
  if (why === 'stage') return afterPassed(staged, ending);
  return isNoMore(why) ? afterNoMore(staged, judges) : undefined;
}

function afterPassed({ nth, of, reviews }: StageOf, { left, work }: Ending): Next {
  if (reviews === undefined) return left.ref === '' ? {} : { stage: nth + 1, work: left };
  if (nth + 1 < of) return { stage: nth + 1 };
  return work === undefined ? {} : { judge: work };
}

/** Work of a review goes back to who made it; work that the attempt was to begin with is nothing to begin with. */
function afterNoMore({ reviews }: StageOf, judges: Snapshot | undefined): Next | undefined {
  if (judges === undefined) return { isAnew: true };
  return reviews === undefined ? undefined : { stage: reviews };
}

/** The work does not go onto what lies there, or is gone. */
function isNoMore(why: VoidReason): boolean {
  return why === 'sent-back' || why === 'lost';
}
