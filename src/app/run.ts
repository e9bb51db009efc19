import { clock, openHouse, planPathIn, slugFor } from '../compose.ts';
import { Refusal, type Lock, type LockHolder } from '../ports.ts';
import { recover } from '../run/recover.ts';
import { carryOut, type RunResult } from './carry-out.ts';
import { dryRun } from './dry-run.ts';
import { journalOf, type RunBase, type RunIo, type RunOptions } from './run-base.ts';

/**
 * Works through a plan (contract, "Commands": `run`). Checks come in the contract's order: repository, lock, recovery, plan and
 * configuration, work tree, agent. Throws Refusal (2, 3: nothing was touched; 4: stopped early, resumable).
 */
export async function runPlan(options: RunOptions, io: RunIo): Promise<RunResult> {
  const house = await openHouse(options.cwd, io.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  if (options.dryRun) return dryRun({ options, io, house, planPath });
  const workspace = await house.workspace();
  const ledger = await house.ledger();
  const locks: Lock[] = [];
  try {
    const slug = slugFor(planPath, await ledger.plans());
    const what = `skeleton run in ${house.facts.top}`;
    const door = await house.locks();
    for (const name of [`worktree-${workspace.id}`, `plan-${slug}`])
      locks.push(held(door.acquire(name, what)));
    const run = clock.id();
    const base = { options, io, house, workspace, ledger, locks, run, slug, planPath };
    return await carryOut(base, await usedUpBefore(base));
  } finally {
    await house.close();
    for (const lock of locks) lock.release();
    await ledger.close();
  }
}

function held(lock: Lock | { readonly heldBy: LockHolder | undefined }): Lock {
  if (!('heldBy' in lock)) return lock;
  const holder = lock.heldBy;
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.host} since ${holder.since} (${holder.what})`;
  throw new Refusal(
    3,
    `another run is going on here: the lock is held by ${who}`,
    'wait for it or end it; skeleton status shows where it is',
  );
}

/** Ends and undoes what a dead run left here; gives the tasks of this plan to which that left no attempt. */
async function usedUpBefore(base: RunBase): Promise<ReadonlySet<string>> {
  const { workspace, ledger, house } = base;
  const ports = { workspace, ledger, processes: await house.processes() };
  const found = await recover({ ports, journalOf: (plan) => journalOf(base, plan) });
  const failed = found.filter(({ plan, phase }) => plan === base.slug && phase === 'failed');
  return new Set(failed.map(({ task }) => task));
}
