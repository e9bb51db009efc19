import type { House } from '../compose.ts';
import { rebuild, type Rebuilt } from '../core/rebuild.ts';
import { isNothing } from '../core/traces.ts';
import type { Ledger } from '../ports.ts';
import type { Lost } from './whole-ledger.ts';

/**
 * Tells the ledger what git knows of a plan and it does not, before anything else is done with it: a task's attempts count on
 * where they were, and one that was under way can be recovered. Gives in words what was told; undefined where that was nothing.
 */
export async function reconcile(
  { house, ledger }: { readonly house: House; readonly ledger: Ledger },
  plan: { readonly slug: string; readonly path: string },
): Promise<string | undefined> {
  const seen = await (await house.traces()).of(plan.slug);
  const known = await ledger.refsTold(plan.slug);
  const traces = await seen((ref) => known.has(ref));
  // To read a long history takes longer than all the rest of a start.
  if (isNothing(traces)) return undefined;
  const history = await ledger.history(plan.slug);
  const rebuilt = rebuild({ plan: plan.slug, planPath: plan.path, history, traces });
  if (rebuilt.entries.length === 0) return undefined;
  await ledger.restore(plan, rebuilt);
  return toldOf(rebuilt);
}

function toldOf({ checkpoints, attempts }: Rebuilt): string {
  const some = (number: number, word: string): string =>
    `${number} ${word}${number === 1 ? '' : 's'}`;
  const passed = `${some(checkpoints, 'checkpoint')} (unproven until skeleton verify)`;
  return checkpoints === 0 ? some(attempts, 'attempt') : `${passed}, ${some(attempts, 'attempt')}`;
}

/** One line for people; undefined where there is nothing to tell. */
export function rebuiltNotice(lost: Lost, told: string | undefined): string | undefined {
  if (lost?.how === 'damaged')
    return `the ledger was damaged (${lost.reason}): it is kept as ${lost.kept}, and rebuilt from git: ${told ?? 'nothing of this plan'}`;
  if (told === undefined) return undefined;
  return `the ledger ${lost === undefined ? 'had lost its end' : 'was gone'}, and is rebuilt from git: ${told}`;
}
