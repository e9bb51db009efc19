import type { ChildProcess } from 'node:child_process';
import { sendSignal } from './send-signal.ts';

/** From TERM to KILL, in milliseconds, where this process exits. */
const lastMomentMs = 200;

/** Commands under way. */
const running = new Set<ChildProcess>();

/**
 * Ends a command, the leader of a group of its own, when this process exits: it would outlive us, and go on writing while the
 * next run begins.
 */
export function endWithUs(child: ChildProcess): void {
  if (!process.listeners('exit').includes(endAll)) process.prependOnceListener('exit', endAll);
  running.add(child);
}

/** It is over. */
export function letGo(child: ChildProcess): void {
  running.delete(child);
}

/** Here nothing can be awaited any more: git gets a moment to take its lock files away. */
function endAll(): void {
  if (running.size === 0) return;
  for (const child of running) signalGroup(child, 'SIGTERM');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastMomentMs);
  for (const child of running) signalGroup(child, 'SIGKILL');
}

export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(process.platform === 'win32' ? pid : -pid, signal);
}
