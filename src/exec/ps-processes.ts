import { spawnSync } from 'node:child_process';
import type { ProcessEntry, ProcessTable } from './process-entry.ts';
import { stepVariable, tokensOf } from './step-token.ts';

const psLimitMs = 10_000;
const row =
  /^\s*(?<pid>\d+)\s+(?<ppid>\d+)\s+(?<group>\d+)\s+(?<state>\S+)\s+(?<start>\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(?<rest>.*)$/;
const tokenEntry = new RegExp(`(?:^| )${stepVariable}=(?<value>[^ ]*)`, 'g');

/** The ps of macOS, which shows environments with `-E`; see `readProcessTable`. */
export function readPsProcesses(
  _since?: string,
  onSight?: (entry: ProcessEntry) => void,
): ProcessTable {
  const entries = parsePs(ps(['-axEww', '-o', 'pid=,ppid=,pgid=,state=,lstart=,command=']));
  if (onSight !== undefined) entries.forEach(onSight);
  return { entries, ended: [], starting: [] };
}

/** Reads lines of the columns pid, ppid, pgid, state, lstart, command with environment; zombies are left out. */
export function parsePs(output: string): readonly ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const groups = row.exec(line)?.groups ?? {};
    if (groups['pid'] === undefined || groups['state']?.startsWith('Z') === true) return [];
    const values = [...(groups['rest'] ?? '').matchAll(tokenEntry)];
    return {
      pid: Number(groups['pid']),
      ppid: Number(groups['ppid']),
      group: Number(groups['group']),
      session: undefined,
      startTime: oneSpaced(groups['start'] ?? ''),
      tokens: values.flatMap((match) => tokensOf(match.groups?.['value'] ?? '')),
    };
  });
}

/** The start time, to the second; undefined where no such process is. */
export function psStartTime(pid: number): string | undefined {
  const text = oneSpaced(ps(['-o', 'lstart=', '-p', String(pid)]));
  return text === '' ? undefined : text;
}

/** Undefined where no such process is. */
export function psParent(pid: number): number | undefined {
  const text = ps(['-o', 'ppid=', '-p', String(pid)]).trim();
  return text === '' ? undefined : Number(text);
}

/** The arguments, as ps joins them. */
export function psCommand(pid: number): string {
  return ps(['-ww', '-o', 'command=', '-p', String(pid)]).trim();
}

function oneSpaced(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function ps(args: readonly string[]): string {
  const options = { env: { ...process.env, LC_ALL: 'C' }, timeout: psLimitMs, maxBuffer: 1 << 28 };
  const { error, stdout } = spawnSync('ps', args, { ...options, encoding: 'utf8' });
  if (error !== undefined) {
    throw new Error(`Processes cannot be listed: ps failed (${error.message}).`, { cause: error });
  }
  return stdout;
}
