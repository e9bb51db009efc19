import type { House } from '../compose.ts';
import type { Recorded } from '../core/events.ts';
import type { LedgerContents } from '../core/ledger-contents.ts';
import { Refusal } from '../ports.ts';

/**
 * A file does not say whose history it holds, so its commits have to: where its runs began, and what counts as passed. Throws
 * Refusal(3) for one that this repository does not have, since a task would be passed without any work.
 */
export async function refuseForeign(
  { events }: Pick<LedgerContents, 'events'>,
  { house, where }: { readonly house: Pick<House, 'looker'>; readonly where: string },
): Promise<void> {
  const looker = await house.looker();
  for (const commit of grounds(events)) {
    if ((await looker.resolve(`${commit}^{commit}`)) !== undefined) continue;
    throw new Refusal(
      3,
      `${where} tells of the commit ${commit}, which is not in this repository; nothing was copied`,
      'copy a ledger into the repository where its runs were; in a clone of it, fetch its branches and tags first',
    );
  }
}

function grounds(events: readonly Recorded[]): ReadonlySet<string> {
  const passed = new Map<string, string>();
  const begun = new Map<string, string>();
  for (const { plan, task, event } of events) {
    const key = JSON.stringify([plan, task]);
    if (event.type === 'checkpoint.created') passed.set(key, event.commit);
    // Taken back: the commit may be gone.
    if (event.type === 'task.reopened') passed.delete(key);
    if (event.type === 'run.started' && event.base !== '' && !begun.has(key))
      begun.set(key, event.base);
  }
  return new Set([...begun.values(), ...passed.values()]);
}
