import { defaultGraceMs, endTarget } from './end-target.ts';
import type { EndedProcess, NamedProcess } from './end-target.ts';
import { commandOf, lineOf, readProcessTable, startTimeOf } from './process-table.ts';
import { assertToken } from './step-token.ts';

export type { EndedProcess, NamedProcess } from './end-target.ts';

/** A group as it was recorded when its leader was started. */
export interface RecordedGroup {
  readonly pid: number;
  /** As `StepSpec.onSpawn` told it. */
  readonly startTime: string;
}

/**
 * Ends every process whose environment carries the token, the recorded group if its leader still has the recorded start time
 * (a pid alone may be somebody else's by now), and all their descendants: TERM, then KILL after `graceMs`. Waits until they
 * are gone and gives those it signalled; never touches this process or its ancestors. A process that shed session, group and
 * environment (`env -i setsid`) after its parent died is not found: only a sandbox holds that. Throws a TypeError for a
 * malformed token (`assertToken`).
 */
export async function endProcesses(
  by: { readonly token: string; readonly group?: RecordedGroup },
  graceMs: number = defaultGraceMs,
): Promise<readonly EndedProcess[]> {
  assertToken(by.token);
  const { token, group } = by;
  const proved = group !== undefined && startTimeOf(group.pid) === group.startTime;
  return endTarget(proved ? { token, group: group.pid } : { token }, { settleMs: 0, graceMs });
}

/** The living processes that carry the token, without this one and its ancestors; throws as `endProcesses` does. */
export function findByToken(token: string): readonly NamedProcess[] {
  assertToken(token);
  const ours = lineOf(process.pid);
  return readProcessTable()
    .entries.filter(({ pid, tokens }) => tokens.includes(token) && !ours.has(pid))
    .map(({ pid }) => ({ pid, command: commandOf(pid) }));
}
