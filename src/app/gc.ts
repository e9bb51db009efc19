import { clock, openHouse } from '../compose.ts';
import { isRef } from '../core/own-things.ts';
import { removeAll } from './gc-all.ts';
import type { GcOptions, GcResult } from './gc-options.ts';
import { findOld, lockAll, readThings, refsAmong, shown, weighed } from './gc-things.ts';

/**
 * Takes away what old runs have left (contract, promise 1: started by a person, it lists what goes); the ledger keeps its history. Refs go first, all or
 * none, so that no snapshot ever stands without the bytes that quarantine keeps for it; then what lies in the state folder.
 * Throws Refusal(3) where another run goes on here, or for what `all` must not take.
 */
export async function gc(options: GcOptions): Promise<GcResult> {
  const house = await openHouse(options.cwd, options.env);
  const pruner = await house.pruner();
  if (options.all) return removeAll(house, pruner, options);
  const now = options.now ?? clock.now();
  const nothing = { notices: [], failures: [], declined: false };
  if (options.dryRun || (await readThings(pruner)).length === 0)
    return { ...nothing, things: await weighed(pruner, await findOld(house, pruner, { now })) };
  const { locks, busy } = await lockAll(house, pruner);
  try {
    const old = await weighed(pruner, await findOld(house, pruner, { now, busy }));
    pruner.note(old, now);
    await pruner.deleteRefs(refsAmong(old));
    const failures = pruner.removeFiles(old.filter((thing) => !isRef(thing)));
    const notices = [...busy].map(
      (name) => `another process is at work on ${shown(pruner, name)}: what is its own stays`,
    );
    return { ...nothing, things: old, notices, failures };
  } finally {
    for (const lock of locks) lock.release();
  }
}
