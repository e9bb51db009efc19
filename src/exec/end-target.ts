import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMembers } from './find-members.ts';
import type { Target } from './find-members.ts';
import type { ProcessEntry } from './process-entry.ts';
import { commandOf, lineOf } from './process-table.ts';
import { sendSignal } from './send-signal.ts';

/** From TERM to KILL, in milliseconds, where nobody says otherwise. */
export const defaultGraceMs = 2000;

/** How long a killed process may take to go; one in uninterruptible sleep, or another user's, takes longer or for ever. */
const killPatienceMs = 5000;
const shortestPauseMs = 2;
const longestPauseMs = 50;

/** A process as people know it. */
export interface NamedProcess {
  readonly pid: number;
  /** Its command line, at most 200 characters. */
  readonly command: string;
}

/** A process that had to be ended. `by: 'nothing'`: it is still there. */
export interface EndedProcess extends NamedProcess {
  readonly by: 'term' | 'kill' | 'nothing';
}

/** How much time to give, in milliseconds. */
interface Patience {
  /** Before the first signal: what goes by itself meanwhile is not reported. */
  readonly settleMs: number;
  /** From TERM to KILL; with 0 the first signal is KILL. */
  readonly graceMs: number;
}

/** As `endProcesses`, for a group that the caller knows to be the step's, because it started it. */
export async function endTarget(
  target: Omit<Target, 'ours'>,
  { settleMs, graceMs }: Patience,
): Promise<readonly EndedProcess[]> {
  if (process.platform === 'win32') return endWindowsTree(target.group);
  const ended: Ended = new Map();
  const begin = performance.now();
  const phases = [begin, begin + settleMs, begin + settleMs + graceMs] as const;
  const [, termFrom, killFrom] = phases;
  const giveUpFrom = killFrom + killPatienceMs;
  let aim: Target = { ...target, ours: lineOf(process.pid) };
  while (true) {
    const lookedAt = performance.now();
    const { members, groupIsGone } = await findMembers(aim, (entry) => {
      // In the same breath: what forks to escape is gone by the end of the look.
      if (performance.now() >= killFrom) kill(entry, ended);
    });
    const now = performance.now();
    if (members.length === 0) return [...ended.values()];
    if (now >= giveUpFrom) return withSurvivors(ended, members);
    // With its last member gone the number is free for somebody else's group.
    if (groupIsGone) aim = { ...aim, group: undefined };
    if (now >= killFrom) killAll(members, aim, ended);
    else if (now >= termFrom) termNew(members, aim, ended);
    await sleep(pauseAt(now, [...phases, giveUpFrom], now - lookedAt));
  }
}

/** Milliseconds until the next look: a twentieth of the time since the phase began, in bounds, and not beyond the phase. */
function pauseAt(now: number, phases: readonly number[], lookMs: number): number {
  const phase = phases.findLast((time) => time <= now) ?? now;
  const next = phases.find((time) => time > now) ?? Infinity;
  const share = Math.min((now - phase) / 20, longestPauseMs);
  return Math.min(Math.max(share, lookMs, shortestPauseMs), next - now);
}

/** Without a TERM, a token or a list: what Windows offers to every user. */
function endWindowsTree(pid: number | undefined): readonly EndedProcess[] {
  if (pid !== undefined) spawnSync('taskkill', ['/PID', String(pid), '/T', '/F']);
  return [];
}

/** By pid and start time. */
type Ended = Map<string, EndedProcess>;

/** A second TERM would tell some programs to go without cleaning up, so each process gets one. */
function termNew(members: readonly ProcessEntry[], { group }: Target, ended: Ended): void {
  const fresh = members.filter((entry) => !ended.has(keyOf(entry)));
  const grouped = ended.size === 0 ? group : undefined;
  for (const entry of fresh) ended.set(keyOf(entry), named(entry, 'term'));
  if (grouped !== undefined) sendSignal(-grouped, 'SIGTERM');
  for (const entry of fresh) if (entry.group !== grouped) sendSignal(entry.pid, 'SIGTERM');
  // A stopped process does not see TERM before it is continued.
  for (const entry of fresh) sendSignal(entry.pid, 'SIGCONT');
}

function killAll(members: readonly ProcessEntry[], { group }: Target, ended: Ended): void {
  // To the group at once: no member can fork past a signal that all of them get.
  if (group !== undefined) sendSignal(-group, 'SIGKILL');
  for (const entry of members) kill(entry, ended);
}

function kill(entry: ProcessEntry, ended: Ended): void {
  const known = ended.get(keyOf(entry)) ?? named(entry, 'kill');
  sendSignal(entry.pid, 'SIGKILL');
  ended.set(keyOf(entry), { ...known, by: 'kill' });
}

function withSurvivors(ended: Ended, members: readonly ProcessEntry[]): readonly EndedProcess[] {
  const survivors = members.map((entry) => [keyOf(entry), named(entry, 'nothing')] as const);
  return [...new Map([...ended, ...survivors]).values()];
}

function named({ pid }: ProcessEntry, by: EndedProcess['by']): EndedProcess {
  return { pid, command: commandOf(pid), by };
}

function keyOf({ pid, startTime }: ProcessEntry): string {
  return `${pid} ${startTime}`;
}
