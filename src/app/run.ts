import { openHouse, planPathIn, stoppingWith } from '../compose.ts';
import type { Config } from '../core/config.ts';
import { Refusal } from '../ports.ts';
import { carryOut, type RunResult } from './carry-out.ts';
import { dryRun } from './dry-run.ts';
import { withBase } from './open-base.ts';
import { readPlan } from './read-plan.ts';
import type { PlaceJob, RunBase, RunIo, RunOptions } from './run-base.ts';
import { runBeside } from './run-beside.ts';
import { runOnBranch } from './run-on-branch.ts';

/**
 * Works through a plan (contract, "Commands": `run`). Checks come in the contract's order: repository, lock, recovery, plan and
 * configuration, work tree, agent. Throws Refusal (2, 3: nothing was touched; 4: stopped early, resumable), and Interrupted
 * where the signal aborts before the work begins.
 */
export async function runPlan(options: RunOptions, io: RunIo): Promise<RunResult> {
  return stoppingWith(io.signal, () => choosePlace(options, io));
}

async function choosePlace(options: RunOptions, io: RunIo): Promise<RunResult> {
  const house = await openHouse(options.cwd, io.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const job: PlaceJob = { options, io, house, planPath };
  if (options.dryRun) return dryRun(job);
  const { isolate = false, branch } = await askedPlace(job);
  if (isolate) return runBeside(job, branch);
  let isPutBack = false;
  const onEvent: RunIo['onEvent'] = (event) => {
    isPutBack ||= event.event.type === 'rollback.done';
    io.onEvent(event);
  };
  return withBase({ house, planPath, onEvent }, (base, usedUp) => {
    const work = (run: RunBase): Promise<RunResult> =>
      branch === undefined ? carryOut(run, usedUp) : runOnBranch(run, branch, usedUp);
    const run = { ...base, options, io };
    return isPutBack ? openedAnew(run, work) : work(run);
  });
}

/** Recovery may have put HEAD back at another branch than the dead run's agent had switched to, which is what was read so far. */
async function openedAnew(
  run: RunBase,
  work: (run: RunBase) => Promise<RunResult>,
): Promise<RunResult> {
  const house = await openHouse(run.house.facts.top, run.io.env);
  try {
    const [workspace, keeper] = [await house.workspace(), await house.keeper()];
    return await work({ ...run, house, workspace, keeper });
  } finally {
    await house.close();
  }
}

/** Where the work is to be done. Read before any lock is taken; what is wrong with the plan is said by the run itself. */
async function askedPlace(job: PlaceJob): Promise<Pick<Config, 'isolate' | 'branch'>> {
  const { options, io, house, planPath } = job;
  try {
    const workspace = await house.workspace();
    const reading = { workspace, planPath, flags: options.flags, env: io.env };
    return (await readPlan(reading)).config;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return options.flags;
  }
}
