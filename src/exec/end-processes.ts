import { defaultGraceMs, endTarget } from './end-target.ts';
import type { EndedProcess, NamedProcess } from './end-target.ts';
import { ticksOf } from './linux-processes.ts';
import { commandOf, lineOf, readProcessTable, startTimeOf } from './process-table.ts';
import { assertToken } from './step-token.ts';

export type { EndedProcess, NamedProcess } from './end-target.ts';

/** A group as it was recorded when its leader was started. */
export interface RecordedGroup {
  readonly pid: number;
  /** As `StepSpec.onSpawn` told it. */
  readonly startTime: string;
  /** Linux: ticks since boot at which the leader was seen to live last, by the run that started it. */
  readonly seen?: number;
}

/**
 * Ends every process whose environment carries the token, the recorded group if it is still the same (`isStillThat`: a pid
 * alone may be somebody else's by now), and all their descendants: TERM, then KILL after `graceMs`. Waits until they
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
  const isThat = group !== undefined && isStillThat(group);
  return endTarget(isThat ? { token, group: group.pid } : { token }, { settleMs: 0, graceMs });
}

/**
 * Whether the group is the recorded one. Its leader says so while it lives. Once that is gone, a member does that is no older
 * than the leader and began before the leader was seen last: the system gives no new process a number that a group or session
 * still has (fork(2), setsid(2): POSIX, "Process Group Lifetime"), so one that took the number later has younger members only.
 */
function isStillThat({ pid, startTime, seen }: RecordedGroup): boolean {
  const now = startTimeOf(pid);
  if (now !== undefined) return now === startTime;
  if (seen === undefined || process.platform !== 'linux') return false;
  const boot = startTime.slice(0, startTime.lastIndexOf('/') + 1);
  return readProcessTable(startTime).entries.some((entry) => {
    const began = ticksOf(entry.startTime);
    const isOfThen = entry.startTime.startsWith(boot) && began >= ticksOf(startTime);
    return (entry.group === pid || entry.session === pid) && isOfThen && began < seen;
  });
}

/** The living processes that carry the token, without this one and its ancestors; throws as `endProcesses` does. */
export function findByToken(token: string): readonly NamedProcess[] {
  assertToken(token);
  const ours = lineOf(process.pid);
  return readProcessTable()
    .entries.filter(({ pid, tokens }) => tokens.includes(token) && !ours.has(pid))
    .map(({ pid }) => ({ pid, command: commandOf(pid) }));
}
