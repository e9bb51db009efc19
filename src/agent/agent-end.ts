import { spellLimit } from '../core/duration.ts';
import type { Failure } from '../core/failure.ts';
import type { Usage } from '../core/usage.ts';
import { exitWord } from '../exec/exit-word.ts';
import type { StepEnd } from '../exec/run-step.ts';
import type { AgentEnd, AgentSaid } from '../ports.ts';
import { sessionName } from './session-name.ts';
import type { ClientExit, OpenReader, Reading, Trouble, TroubleKind } from './reading.ts';

/**
 * What the end of the agent's process means for the attempt (contract, "Agent step"): its exit status and what its client says
 * in structured fields decide, never the model's words.
 */
export function agentEnd(
  end: StepEnd,
  step: Pick<AgentSaid, 'seconds' | 'log'>,
  reader?: OpenReader,
  signIn?: string,
): AgentEnd {
  const reading = reader?.finish(exitOf(end));
  const said: AgentSaid = { ...step, ...(reading && toldBy(reading, end)) };
  if (end.kind === 'aborted') return { kind: 'interrupted', ...said };
  const exit = end.kind === 'exit' ? end.code : null;
  const { ended, failure } = failureOf(end);
  const trouble = reading?.trouble;
  if (trouble !== undefined)
    return { ...said, exit, ...endOf(trouble, { ended, failure, signIn }) };
  if (exit === 0) return { kind: 'finished', ended: 'exit 0', ...said };
  return { kind: 'failed', exit, ended, failure, ...said };
}

function exitOf(end: StepEnd): ClientExit {
  return {
    exit: end.kind === 'exit' ? end.code : null,
    signal: end.kind === 'signal' ? end.signal : null,
    stderrTail: '',
  };
}

function toldBy(reading: Reading, end: StepEnd): Pick<AgentSaid, 'usage' | 'session'> {
  const usage = usageOf(reading);
  const session = sessionName(reading.session);
  // Who was ended had no time to report all.
  const least = end.kind === 'exit' ? {} : { atLeast: true as const };
  return {
    ...(Object.keys(usage).length > 0 && { usage: { ...usage, ...least } }),
    ...(session !== undefined && { session }),
  };
}

/** What was reported; `atLeast` where a part of what it names was not. */
export function usageOf(reading: Pick<Reading, 'tokens' | 'usd' | 'lacking'>): Usage {
  const { usd, lacking } = reading;
  const tokens = countable(reading.tokens);
  const isLeast =
    (tokens !== undefined && lacking?.tokens === true) ||
    (usd !== undefined && lacking?.usd === true);
  return {
    ...(tokens && { input: tokens.input, output: tokens.output }),
    ...(usd !== undefined && { usd }),
    ...(isLeast && { atLeast: true }),
  };
}

/** A sum of absurd counts may be no count any more. */
function countable(tokens: Reading['tokens']): Reading['tokens'] {
  if (tokens === undefined) return undefined;
  const { input, output } = tokens;
  return Number.isSafeInteger(input) && Number.isSafeInteger(output) ? tokens : undefined;
}

/** Milliseconds: the limits of a month. */
const LONGEST_WAIT = 31 * 86_400_000;

type Told =
  | {
      readonly kind: 'throttled';
      readonly ended: string;
      readonly until?: string;
      readonly why: 'limit' | 'overload';
    }
  | { readonly kind: 'signed-out'; readonly ended: string; readonly mend: string }
  | { readonly kind: 'failed'; readonly ended: string; readonly failure: Failure };

const words: Readonly<Record<TroubleKind, string>> = {
  throttled: 'rate limit',
  overloaded: 'its provider is overloaded or cannot be reached',
  'signed-out': 'signed out',
  account: 'its account does not allow it',
  'unknown-model': 'unknown model',
  refused: 'the model refused',
  'context-overflow': 'the prompt and what it read are too long for the model',
  limit: 'a limit of its own',
  error: 'error',
};

function endOf(
  trouble: Trouble,
  step: {
    readonly ended: string;
    readonly failure: Failure;
    readonly signIn: string | undefined;
  },
): Told {
  const told = `${words[trouble.kind]}${trouble.detail === '' ? '' : ` (${trouble.detail})`}`;
  switch (trouble.kind) {
    case 'throttled':
    case 'overloaded': {
      const until = untilOf(trouble);
      const why = trouble.kind === 'overloaded' ? 'overload' : 'limit';
      return { kind: 'throttled', ended: told, why, ...(until !== undefined && { until }) };
    }
    case 'signed-out':
      return { kind: 'signed-out', ended: told, mend: step.signIn ?? 'sign in' };
    case 'account':
      return { kind: 'signed-out', ended: told, mend: 'ask its provider, or take another agent' };
    case 'unknown-model':
      return { kind: 'signed-out', ended: told, mend: '--model NAME, or `model:`' };
    case 'refused':
    case 'context-overflow':
    case 'limit':
    case 'error':
      // A limit of ours that cut it off says more than what the client made of that.
      if (step.failure.kind !== 'agent-error')
        return { kind: 'failed', ended: step.ended, failure: step.failure };
      return { kind: 'failed', ended: told, failure: { kind: 'agent-error', detail: told } };
  }
}

function untilOf({ until, afterMs }: Trouble): string | undefined {
  const now = Date.now();
  const time = until === undefined ? now + (afterMs ?? NaN) : Date.parse(until);
  // Asked again after that, it says how it is then.
  return Number.isNaN(time)
    ? undefined
    : new Date(Math.min(time, now + LONGEST_WAIT)).toISOString();
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
  const limit = spellLimit(afterMs);
  const key = kind === 'idle' ? 'idle_timeout' : 'timeout';
  return { ended: `${word} after ${limit}`, failure: { kind, detail: `${key}: ${limit}` } };
}
