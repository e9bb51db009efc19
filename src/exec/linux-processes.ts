import { readFileSync, readdirSync } from 'node:fs';
import type { ProcessEntry, ProcessTable } from './process-entry.ts';
import { stepVariable, tokensOf } from './step-token.ts';

/** Fields of /proc/PID/stat, counted from the one after the name (proc(5): state is the third of all). */
const field = { state: 0, ppid: 1, group: 2, session: 3, flags: 6, start: 19 } as const;
const kernelThread = 0x00200000;
const entryMark = Buffer.from(`${stepVariable}=`);

interface Stat {
  readonly ppid: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly start: number;
  readonly isZombie: boolean;
  readonly isKernels: boolean;
}

type Reading<T> = T | 'gone' | 'forbidden';

/** /proc as it is now; see `readProcessTable`. */
export function readLinuxProcesses(
  since?: string,
  onSight?: (entry: ProcessEntry) => void,
): ProcessTable {
  const boot = bootId();
  const earliest = since?.startsWith(`${boot}/`) === true ? ticksOf(since) : 0;
  const entries: ProcessEntry[] = [];
  const ended: number[] = [];
  const starting: number[] = [];
  for (const pid of pids()) {
    const found = readProcess(pid, earliest);
    if (found === 'ended') ended.push(pid);
    if (typeof found === 'string') continue;
    if (found.isStarting) starting.push(pid);
    const { ppid, group, session, start } = found.stat;
    const startTime = `${boot}/${start}`;
    const entry = { pid, ppid, group, session, startTime, tokens: found.tokens };
    onSight?.(entry);
    entries.push(entry);
  }
  return { entries, ended, starting };
}

interface Found {
  readonly stat: Stat;
  readonly tokens: readonly string[];
  readonly isStarting: boolean;
}

/** Of no concern: a kernel thread, another user's where the system hides them, or older than asked. */
function readProcess(pid: number, earliest: number): Found | 'ended' | 'no concern' {
  const stat = readStat(pid);
  if (stat === 'gone') return 'ended';
  if (stat === 'forbidden' || stat.isKernels || stat.start < earliest) return 'no concern';
  const tokens = stat.isZombie ? 'gone' : readTokens(pid);
  if (tokens === 'gone') return 'ended';
  return { stat, tokens: tokens === 'starting' ? [] : tokens, isStarting: tokens === 'starting' };
}

/** `BOOT/TICKS`: the two together are used once on a machine for each pid. Undefined where no such process is. */
export function linuxStartTime(pid: number): string | undefined {
  const stat = readStat(pid);
  return typeof stat === 'string' ? undefined : `${bootId()}/${stat.start}`;
}

/** Undefined where no such process is. */
export function linuxParent(pid: number): number | undefined {
  const stat = readStat(pid);
  return typeof stat === 'string' ? undefined : stat.ppid;
}

/** Clock ticks since boot, from what `linuxStartTime` gave. */
export function ticksOf(startTime: string): number {
  return Number(startTime.slice(startTime.lastIndexOf('/') + 1));
}

/** The arguments joined by spaces; the name in brackets where there are none. */
export function linuxCommand(pid: number): string {
  const args = read(`/proc/${pid}/cmdline`).toString().replaceAll('\0', ' ').trim();
  return args === '' ? `[${read(`/proc/${pid}/comm`).toString().trim()}]` : args;
}

/** The newest first: they may be the ones that do not live long enough to be read last. */
function pids(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger).reverse();
}

function readStat(pid: number): Reading<Stat> {
  const bytes = read(`/proc/${pid}/stat`);
  if (typeof bytes === 'string') return bytes;
  const text = bytes.toString('latin1');
  // The name stands in parentheses and may hold any character, parentheses too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index]);
  return {
    ppid: number(field.ppid),
    group: number(field.group),
    session: number(field.session),
    start: number(field.start),
    isZombie: /^[ZX]/.test(fields[field.state] ?? ''),
    isKernels: (number(field.flags) & kernelThread) !== 0,
  };
}

function readTokens(pid: number): readonly string[] | 'gone' | 'starting' {
  const environment = read(`/proc/${pid}/environ`);
  if (environment === 'gone') return 'gone';
  if (environment === 'forbidden') return [];
  return environment.length === 0 ? readTokensAgain(pid) : tokensIn(environment);
}

/** In the middle of exec arguments and environment both read as empty; of a process without environment only that does. */
function readTokensAgain(pid: number): readonly string[] | 'gone' | 'starting' {
  const args = read(`/proc/${pid}/cmdline`);
  const environment = read(`/proc/${pid}/environ`);
  if (typeof args === 'string' || typeof environment === 'string') return 'gone';
  return args.length === 0 ? 'starting' : tokensIn(environment);
}

function tokensIn(environment: Buffer): readonly string[] {
  const found: string[] = [];
  for (let at = 0; (at = environment.indexOf(entryMark, at)) >= 0; at += entryMark.length) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    const value = environment.subarray(at + entryMark.length, end < 0 ? undefined : end);
    found.push(...tokensOf(value.toString('latin1')));
  }
  return found;
}

function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id').toString().trim();
}

function read(path: string): Reading<Buffer> {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ENOENT' || code === 'ESRCH' ? 'gone' : 'forbidden';
  }
}
