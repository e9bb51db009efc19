import { clock, type House } from '../compose.ts';
import { summarise } from '../core/summary.ts';
import { Refusal } from '../ports.ts';
import { openJournal } from '../run/journal.ts';
import { withLedger } from './read-ledger.ts';

/** A checkpoint's tag, in full, and its commit. */
export interface Confirmed {
  readonly tag: string;
  readonly commit: string;
}

/**
 * Writes down that checkpoints hold which a rebuilt ledger calls unproven. Verifying waits for nobody, so where the ledger
 * cannot be written now (a run of the plan goes on, a read-only disk) it stays as it is, until the next time.
 */
export async function recordVerified(
  house: House,
  plan: string,
  confirmed: readonly Confirmed[],
): Promise<void> {
  const read = await withLedger(house, async (ledger) => {
    const { tasks } = summarise(undefined, await ledger.history(plan));
    return tasks.filter(({ state }) => state === 'unproven');
  });
  const unproven = read.kind === 'read' ? read.value : [];
  const wanted = unproven.flatMap(({ id, checkpoint }) => {
    const one = confirmed.find(({ tag }) => tag === checkpoint?.tag);
    return one?.commit === checkpoint?.commit && one ? [{ task: id, ...one }] : [];
  });
  if (wanted.length > 0) await writeUnlessBusy(house, plan, wanted);
}

async function writeUnlessBusy(
  house: House,
  plan: string,
  wanted: readonly (Confirmed & { readonly task: string })[],
): Promise<void> {
  try {
    const lock = (await house.locks()).acquire(`plan-${plan}`, 'skeleton verify');
    if ('heldBy' in lock) return;
    const ledger = await house.ledger();
    try {
      const parts = { ledger, locks: [lock], run: clock.id(), plan, onEvent: () => undefined };
      const journal = openJournal(parts);
      for (const { task, tag, commit } of wanted)
        await journal.append(task, { type: 'checkpoint.verified', tag, commit });
    } finally {
      await ledger.close();
      lock.release();
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
