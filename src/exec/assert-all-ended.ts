import { oneLine } from '../core/text.ts';
import { Refusal } from '../ports.ts';
import type { EndedProcess } from './end-processes.ts';

/** Throws Refusal(4) where a process of a step outlived even KILL: it could still write to the tree that is to be judged or rolled back. */
export function assertAllEnded(leftovers: readonly EndedProcess[]): void {
  const alive = leftovers.filter(({ by }) => by === 'nothing');
  if (alive.length === 0) return;
  const named = alive.map(({ pid, command }) => `${pid} (${oneLine(command)})`).join(', ');
  throw new Refusal(
    4,
    `cannot be ended, and may still write to the work tree: ${named}`,
    `end it (ps -o pid,stat,user,args -p ${alive.map(({ pid }) => pid).join(',')}), then: skeleton run`,
  );
}
