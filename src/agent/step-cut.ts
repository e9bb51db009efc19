import type { Usage } from '../core/usage.ts';
import type { AgentEnd, AgentJob } from '../ports.ts';
import { usageOf } from './agent-end.ts';
import type { OpenReader } from './reading.ts';

/** Milliseconds: a client that was giving its last account ends by itself meanwhile, and its work is judged. */
const LAST_WORD = 2000;

/** Ends a step that takes more than its job allows (`AgentJob.mayGoOn`). */
export interface StepCut {
  readonly signal: AbortSignal;
  /** To be called as often as the reader has read more. */
  readonly look: () => void;
  /** What the end of the step means: interrupted by us, it was cut. */
  readonly endOf: (end: AgentEnd) => AgentEnd;
}

export function openStepCut(
  { mayGoOn, signal }: Pick<AgentJob, 'mayGoOn' | 'signal'>,
  reader: OpenReader | undefined,
): StepCut {
  const cut = new AbortController();
  let told: Usage = {};
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (mayGoOn === undefined || reader === undefined || timer !== undefined) return;
    const usage = usageOf(reader.soFar());
    if (isSame(usage, told)) return;
    told = usage;
    if (!mayGoOn(usage)) timer = setTimeout(() => cut.abort(), LAST_WORD);
  };
  return {
    signal: AbortSignal.any([signal, cut.signal]),
    look,
    endOf: (end) => {
      clearTimeout(timer);
      if (end.kind !== 'interrupted' || signal.aborted) return end;
      return { ...end, kind: 'cut', ended: 'cut off at the budget', exit: null };
    },
  };
}

function isSame(a: Usage, b: Usage): boolean {
  return a.input === b.input && a.output === b.output && a.usd === b.usd;
}
