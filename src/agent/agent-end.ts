import { spellLimit } from '../core/duration.ts';
import type { Failure } from '../core/failure.ts';
import { exitWord } from '../exec/exit-word.ts';
import type { StepEnd } from '../exec/run-step.ts';
import type { AgentEnd } from '../ports.ts';

interface Said {
  readonly seconds: number;
  readonly log: string;
}

/** What the end of the agent's process means for the attempt (contract, "Agent step"). */
export function agentEnd(end: StepEnd, said: Said): AgentEnd {
  if (end.kind === 'aborted') return { kind: 'interrupted', ...said };
  if (end.kind === 'exit' && end.code === 0) return { kind: 'finished', ended: 'exit 0', ...said };
  const exit = end.kind === 'exit' ? end.code : null;
  return { kind: 'failed', exit, ...failureOf(end), ...said };
}

function failureOf(end: Exclude<StepEnd, { kind: 'aborted' }>): {
  readonly ended: string;
  readonly failure: Failure;
} {
  switch (end.kind) {
    case 'exit':
      return failed(exitWord(end.code));
    case 'signal':
      return failed(`signal ${end.signal}`);
    case 'timeout':
      return stopped('timeout', 'timed-out', end.afterMs);
    case 'idle':
      return stopped('idle', 'idle', end.afterMs);
    case 'not-found':
      return failed('not found');
    case 'not-executable':
      return failed('not executable');
    case 'spawn-error':
      return failed(end.message);
  }
}

function failed(ended: string): { readonly ended: string; readonly failure: Failure } {
  return { ended, failure: { kind: 'agent-error', detail: ended } };
}

function stopped(
  word: string,
  kind: 'timed-out' | 'idle',
  afterMs: number,
): { readonly ended: string; readonly failure: Failure } {
  const detail = `after ${spellLimit(afterMs)}`;
  return { ended: `${word} ${detail}`, failure: { kind, detail } };
}
