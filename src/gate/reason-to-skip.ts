import { spellLimit } from '../core/duration.ts';
import type { GateResult } from '../core/events.ts';
import { pathMatcher } from '../core/globs.ts';
import type { Gate, GateJob } from '../ports.ts';

/** A gate that last took longer is not worth its time once the tree is rejected (contract, "Gates"). */
const SLOW_SECONDS = 60;

/** Why a gate need not run (contract, "Gates"), for people; undefined when it has to. */
export function reasonToSkip(
  gate: Gate,
  job: Pick<GateJob, 'changed' | 'attempt' | 'failFast'>,
  sofar: {
    readonly results: readonly GateResult[];
    readonly lastSeconds: ReadonlyMap<string, number>;
  },
): string | undefined {
  if (!isConcerned(gate, job)) return 'nothing that it looks at has changed';
  if (!sofar.results.some(rejects)) return undefined;
  if (job.failFast) return 'after a rejection (fail_fast)';
  const last = sofar.lastSeconds.get(gate.name) ?? 0;
  return last > SLOW_SECONDS
    ? `after a rejection, as it last took ${spellLimit(last * 1000)}`
    : undefined;
}

/** Outside an attempt nobody may know what changed: then all gates are concerned. */
function isConcerned(
  { only }: Gate,
  { changed, attempt }: Pick<GateJob, 'changed' | 'attempt'>,
): boolean {
  if (only.length === 0 || (attempt === undefined && changed.length === 0)) return true;
  const matches = pathMatcher(only);
  return changed.some(({ path }) => matches(path));
}

function rejects({ soft, verdict }: GateResult): boolean {
  return !soft && (verdict === 'fail' || verdict === 'timeout');
}
