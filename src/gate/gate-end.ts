import { spellLimit } from '../core/duration.ts';
import type { Verdict } from '../core/events.ts';
import { exitWord } from '../exec/exit-word.ts';
import type { StepEnd } from '../exec/run-step.ts';

export interface GateEnd {
  readonly verdict: Verdict;
  readonly ended: string;
  readonly exit: number | null;
}

/** sysexits.h: EX_TEMPFAIL, "try again later". */
const UNABLE = 75;

/** What the end of a gate's process says (contract, "Gates"); undefined where it was cut off by us, and says nothing. */
export function gateEnd(end: StepEnd): GateEnd | undefined {
  switch (end.kind) {
    case 'exit':
      return { ...verdictOf(end.code), exit: end.code };
    case 'signal':
      return { verdict: 'fail', ended: `signal ${end.signal}`, exit: null };
    case 'timeout':
    case 'idle':
      return { verdict: 'timeout', ended: `timeout after ${spellLimit(end.afterMs)}`, exit: null };
    case 'not-found':
      return { verdict: 'fail', ended: 'not found', exit: null };
    case 'not-executable':
      return { verdict: 'fail', ended: 'not executable', exit: null };
    case 'spawn-error':
      // The machine is short of something: nothing was said about the tree.
      return { verdict: 'error', ended: 'could not be started', exit: null };
    case 'aborted':
      return undefined;
  }
}

function verdictOf(code: number): Pick<GateEnd, 'verdict' | 'ended'> {
  if (code === 0) return { verdict: 'pass', ended: 'exit 0' };
  if (code === UNABLE) return { verdict: 'error', ended: `exit ${code}` };
  return { verdict: 'fail', ended: exitWord(code) };
}
