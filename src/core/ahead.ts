import type { GateResult, Snapshot, TaskEvent } from './events.ts';

/** Work that passed its gates beside the others, and waits for its turn to go onto the branch (`--jobs`). */
export interface AheadWork {
  readonly snapshot: Snapshot;
  readonly agent: string;
  readonly model?: string;
  /** What its gates judged, and the digest of those gates. */
  readonly judged: { readonly tree: string; readonly gatesHash: string };
  readonly gates: readonly GateResult[];
}

/** The work that a snapshot holds, if that is work of this kind. */
export function aheadWork(
  events: readonly TaskEvent[],
  snapshot: Snapshot | undefined,
): AheadWork | undefined {
  const end = events.findLastIndex(
    (event) => event.type === 'rollback.done' && event.snapshot.commit === snapshot?.commit,
  );
  const begun = events.slice(0, Math.max(0, end)).findLastIndex(isStart);
  const [start, ...rest] = events.slice(Math.max(0, begun), Math.max(0, end));
  const voided = rest.find((event) => event.type === 'attempt.voided');
  if (snapshot === undefined || start?.type !== 'attempt.started') return undefined;
  if (voided?.judged === undefined) return undefined;
  const gates = rest.filter((event) => event.type === 'gate.finished');
  const { agent, model } = start;
  const who = { agent, ...(model !== undefined && { model }) };
  return {
    snapshot,
    ...who,
    judged: voided.judged,
    gates: gates.map(({ type: _, ...gate }) => gate),
  };
}

/** Of the attempt under way: the work ahead that it brings onto the branch; undefined where it is another attempt. */
export function broughtIn(events: readonly TaskEvent[]): AheadWork | undefined {
  const started = events.findLast(isStart);
  return aheadWork(events, started?.judge);
}

/** Whether the task was sent back once since it was last begun anew: the first time is free. */
export function wasSentBack(events: readonly TaskEvent[]): boolean {
  const anew = events.findLastIndex((event) => event.type === 'task.reopened' && event.anew);
  return events
    .slice(anew + 1)
    .some((event) => event.type === 'attempt.voided' && event.why === 'sent-back');
}

function isStart(event: TaskEvent): event is Extract<TaskEvent, { type: 'attempt.started' }> {
  return event.type === 'attempt.started';
}
