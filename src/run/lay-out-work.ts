import type { Snapshot, StageOf } from '../core/events.ts';
import type { Outcome } from '../core/machine.ts';
import { isSamePlan } from '../core/stages/past.ts';
import type { Life } from './life.ts';
import type { Session } from './session.ts';

/** What an attempt of a task with stages says of itself. */
export function stageOf(
  { staged }: Life,
  { work }: LaidOut,
): { readonly stage?: StageOf; readonly onto?: Snapshot } {
  if (staged === undefined) return {};
  const { nth, of, reviews, stage } = staged;
  const own = { nth, name: stage.name, of, ...(reviews !== undefined && { reviews }) };
  return { stage: own, ...(work && { onto: work }) };
}

export interface LaidOut {
  /** What lies there now, of the stages before. */
  readonly work?: Snapshot;
  /** Why it does not: the task begins again at its first stage, which costs nothing. */
  readonly outcomes: readonly Outcome[];
}

const nothing: LaidOut = { outcomes: [] };

/** Lays out the work of the stages before this one, onto whatever has moved since; the plan stays as it lies. */
export async function layOutWork(
  { staged, state, events, id }: Life,
  {
    judged,
    continued,
  }: { readonly judged: Snapshot | undefined; readonly continued: Snapshot | undefined },
  session: Session,
): Promise<LaidOut> {
  const { work } = state;
  if (staged === undefined || work === undefined || judged !== undefined) return nothing;
  // A rejected attempt that goes on had begun with it.
  if (continued !== undefined) return { ...nothing, work };
  if (!isSamePlan(events, staged.stages)) return nothing;
  const { workspace } = session.ports;
  if ((await workspace.resolve(work.commit)) === undefined)
    return { work, outcomes: [{ type: 'attempt.voided', why: 'lost' }] };
  const paths = await workspace.merge(id, work, session.plan.path);
  if (paths.length === 0) return { ...nothing, work };
  const failure = { kind: 'conflict', paths } as const;
  return { work, outcomes: [{ type: 'attempt.voided', why: 'sent-back', failure }] };
}
