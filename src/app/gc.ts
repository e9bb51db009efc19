import { tmpdir } from 'node:os';
import { clock, openDrillRoom, openHouse, type House } from '../compose.ts';
import { isRef } from '../core/own-things.ts';
import type { Pruner } from '../ports.ts';
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
  const result = options.all
    ? await removeAll(house, pruner, options)
    : await removeOld(house, pruner, options);
  if (options.dryRun || result.declined) return result;
  const swept = await sweepTemporary(house, options);
  const gone = swept.map((folder) => `removed what a killed command had left: ${folder}`);
  return { ...result, notices: [...result.notices, ...gone] };
}

/** Of commands that were killed. Gives the folders. */
async function sweepTemporary(
  house: House,
  { env }: Pick<GcOptions, 'env'>,
): Promise<readonly string[]> {
  const { sweepStages } = await openDrillRoom();
  const stages = await sweepStages({ temporary: tmpdir(), env });
  return [...(await house.worktrees()).sweep(), ...stages];
}

async function removeOld(house: House, pruner: Pruner, options: GcOptions): Promise<GcResult> {
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
