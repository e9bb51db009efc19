import {
  linuxCommand,
  linuxParent,
  linuxStartTime,
  readLinuxProcesses,
} from './linux-processes.ts';
import type { ProcessEntry, ProcessTable } from './process-entry.ts';
import { psCommand, psParent, psStartTime, readPsProcesses } from './ps-processes.ts';

interface Source {
  readonly table: typeof readProcessTable;
  readonly startTime: (pid: number) => string | undefined;
  readonly parent: (pid: number) => number | undefined;
  readonly command: (pid: number) => string;
}

const proc: Source = {
  table: readLinuxProcesses,
  startTime: linuxStartTime,
  parent: linuxParent,
  command: linuxCommand,
};
const ps: Source = {
  table: readPsProcesses,
  startTime: psStartTime,
  parent: psParent,
  command: psCommand,
};
/** Windows shows nobody's environment and has no groups. */
const none: Source = {
  table: () => ({ entries: [], ended: [], starting: [] }),
  startTime: () => undefined,
  parent: () => undefined,
  command: () => '',
};
const special: Partial<Record<NodeJS.Platform, Source>> = { linux: proc, win32: none };
const source = special[process.platform] ?? ps;

/**
 * Reads /proc on Linux, asks ps on other Unixes. `since`, a start time, leaves out what began earlier, where the platform can
 * compare. `onSight` gets each entry at the moment it is read.
 */
export function readProcessTable(
  since?: string,
  onSight?: (entry: ProcessEntry) => void,
): ProcessTable {
  return source.table(since, onSight);
}

/** The start time of a process, a zombie's too; undefined where there is none with that pid. */
export function startTimeOf(pid: number): string | undefined {
  return source.startTime(pid);
}

/** The process and all its ancestors, init included. */
export function lineOf(pid: number): ReadonlySet<number> {
  const line = new Set([0, 1]);
  for (let at: number | undefined = pid; at !== undefined && !line.has(at);) {
    line.add(at);
    at = source.parent(at);
  }
  return line;
}

/** What a person would call the process: its command line, at most 200 characters. */
export function commandOf(pid: number): string {
  return source.command(pid).slice(0, 200);
}
