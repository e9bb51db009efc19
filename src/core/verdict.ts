import type { GateResult } from './events.ts';
import type { Failure } from './failure.ts';

/** What all gate results of a tree say together (contract, "Gates"). */
export type Judgement =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'error'; readonly gates: readonly string[] }
  | { readonly verdict: 'fail'; readonly failure: Failure };

/** Those whose rejection counts. */
export function failedGates(results: readonly GateResult[]): readonly GateResult[] {
  return results.filter(({ soft, verdict }) => !soft && ['fail', 'timeout'].includes(verdict));
}

/** One rejection that is not soft rejects; else an error leaves it open; else at least one that is not soft must have passed. */
export function judgementOf(results: readonly GateResult[]): Judgement {
  const hard = results.filter((result) => !result.soft);
  const names = (verdicts: readonly string[]): string[] =>
    hard.filter((result) => verdicts.includes(result.verdict)).map((result) => result.name);
  const rejecting = names(['fail', 'timeout']);
  if (rejecting.length > 0)
    return { verdict: 'fail', failure: { kind: 'gate-failed', gates: rejecting } };
  const broken = names(['error']);
  if (broken.length > 0) return { verdict: 'error', gates: broken };
  if (names(['pass']).length > 0) return { verdict: 'pass' };
  return { verdict: 'fail', failure: { kind: 'ungated' } };
}
