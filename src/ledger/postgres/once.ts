import { createHash } from 'node:crypto';
import type { Worker } from '../../ports.ts';
import type { Connection } from './connection.ts';
import { locksOn, type HeldLocks } from './held-locks.ts';

/** Two keys with one number would take turns, no more. */
export function onceKey(plan: number, key: string): number {
  return createHash('sha256').update(`${plan}\0${key}`).digest().readInt32BE();
}

/** Whether we have it; then until this process ends. */
export async function takeOnce(on: Connection, held: HeldLocks, no: number): Promise<boolean> {
  const key = { space: 'verdict', no } as const;
  const own = held.find(key) ?? (await held.take(on, { key }));
  return own?.lost.aborted === false;
}

export async function holderOf(on: Connection, no: number): Promise<Worker | undefined> {
  const [row] = await on.query(
    `select a.application_name as name from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
    where ${locksOn('verdict', '$1')}`,
    [no],
  );
  return workerIn(String(row?.['name']));
}

/** What the server calls our session: its own list of them shows who works where. It cuts it at 63 bytes. */
export function sessionName({ host, pid, run }: Worker): string {
  return `skeleton ${pid} ${run} ${host}`.slice(0, 63);
}

/** Undefined for a session that is no worker's. */
export function workerIn(name: string): Worker | undefined {
  const [, pid, run, host] = /^skeleton (\d+) (\S+) (.+)$/.exec(name) ?? [];
  if (pid === undefined || run === undefined || host === undefined) return undefined;
  return { host, pid: Number(pid), run };
}
