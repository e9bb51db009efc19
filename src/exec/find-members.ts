import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEntry } from './process-entry.ts';
import { readProcessTable } from './process-table.ts';

/** Looks in a row at a process table that does not hold still. */
const mostLooks = 20;

/** Which processes are meant. */
export interface Target {
  readonly token: string;
  /** Leader of a process group and session that is known to be the step's. */
  readonly group?: number | undefined;
  /** Start time of the step: nothing older is its process. */
  readonly since?: string | undefined;
  /** Never a member: this process and its ancestors. */
  readonly ours: ReadonlySet<number>;
}

/** What is alive of a target. */
export interface Look {
  readonly members: readonly ProcessEntry[];
  readonly groupIsGone: boolean;
}

/**
 * Finds the processes of the group and session, those that carry the token, and the descendants of all these. Looks until
 * nothing new has ended and nothing is in the middle of exec, because either may hide one. `onSight` gets each that group or
 * token gives away as soon as it is seen.
 */
export async function findMembers(
  target: Target,
  onSight: (entry: ProcessEntry) => void,
): Promise<Look> {
  const look = (entry: ProcessEntry): void => {
    if (isMarked(entry, target)) onSight(entry);
  };
  let known: readonly number[] = [];
  for (let looks = 1; ; looks += 1) {
    const { entries, ended, starting } = readProcessTable(target.since, look);
    const members = membersOf(target, entries);
    const settled = starting.length === 0 && ended.every((pid) => known.includes(pid));
    if (members.length > 0 || settled || looks === mostLooks) {
      const groupIsGone = settled && !members.some((entry) => isInGroup(entry, target));
      return { members, groupIsGone };
    }
    known = ended;
    await sleep(1);
  }
}

function membersOf(target: Target, entries: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const childrenOf = byParent(entries);
  const members = new Set(entries.filter((entry) => isMarked(entry, target)));
  // A set is walked in the order of insertion, what is added meanwhile included: children of children are found too.
  for (const { pid } of members) {
    for (const child of childrenOf.get(pid) ?? []) members.add(child);
  }
  return [...members].filter(({ pid }) => !target.ours.has(pid));
}

function byParent(entries: readonly ProcessEntry[]): ReadonlyMap<number, readonly ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    const siblings = children.get(entry.ppid);
    if (siblings === undefined) children.set(entry.ppid, [entry]);
    else siblings.push(entry);
  }
  return children;
}

/** Whether group, session or token say that it belongs to the step. */
function isMarked(entry: ProcessEntry, target: Target): boolean {
  if (target.ours.has(entry.pid)) return false;
  return isInGroup(entry, target) || entry.tokens.includes(target.token);
}

function isInGroup(entry: ProcessEntry, { group }: Target): boolean {
  return group !== undefined && (entry.group === group || entry.session === group);
}
