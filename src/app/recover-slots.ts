import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHouse, sweepFolders, type Environment, type House } from '../compose.ts';
import type { Lock, SlotFolder } from '../ports.ts';
import { recover } from '../run/recover.ts';
import { held } from './held.ts';
import type { OpenBase } from './run-base.ts';

interface Recovering {
  readonly env: Environment;
  readonly say: (message: string) => Promise<void>;
}

/** Undoes what a dead run of the plan left in its slots; they go then. */
export async function recoverSlots(base: OpenBase, { env, say }: Recovering): Promise<void> {
  const { keeper, slug, ledger, workspace } = base;
  sweepFolders(tmpdir(), slotTemporary);
  const slots = keeper.slots(slug);
  const elsewhere = slots.length === 0 ? [] : await ledger.underWayElsewhere(slug, workspace.id);
  const open = new Set(elsewhere.map(({ worktree }) => worktree));
  for (const slot of slots) {
    if (open.size > 0) await recoverSlot(base, { slot, env, open });
    const left = await keeper.removeSlot(slot);
    if (left !== undefined) await say(left);
  }
  await keeper.dropSlotBranches(slug);
}

/** Of the name of the folder that a slot has as TMPDIR. */
export const slotTemporary = 'skeleton-slot-';

interface DeadSlot {
  readonly slot: SlotFolder;
  readonly env: Environment;
  /** Work trees in which an attempt is under way. */
  readonly open: ReadonlySet<string>;
}

async function recoverSlot({ ledger, journalOf }: OpenBase, dead: DeadSlot): Promise<void> {
  if (!existsSync(join(dead.slot.folder, '.git'))) return;
  const house = await openHouse(dead.slot.folder, dead.env);
  try {
    const workspace = await house.workspace();
    if (!dead.open.has(workspace.id)) return;
    const lock = await slotLock(house);
    try {
      await (await house.keeper()).clearLocks(() => Promise.resolve());
      const processes = await house.processes();
      await recover({ ports: { workspace, ledger, processes }, journalOf });
    } finally {
      lock.release();
    }
  } finally {
    await house.close();
  }
}

/** The work tree's own, as every run has that of the work tree in which it was started. */
export async function slotLock(house: House): Promise<Lock> {
  const { id } = await house.workspace();
  return held((await house.locks()).acquire(`worktree-${id}`, `skeleton in ${house.facts.top}`));
}
