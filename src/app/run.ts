import { assertTemporary, openHouse, planPathIn, settleLedger, stoppingWith } from '../compose.ts';
import type { Config } from '../core/config.ts';
import { ledgerVariable } from '../core/ledger-place.ts';
import { Refusal } from '../ports.ts';
import { carryOut, type RunResult } from './carry-out.ts';
import { dryRun } from './dry-run.ts';
import { followed } from './follow-up.ts';
import { withBase } from './open-base.ts';
import { readPlan } from './read-plan.ts';
import type { PlaceJob, RunIo, RunOptions } from './run-base.ts';
import { isUntouched, noCommit } from './refuse-no-commit.ts';
import { meetingPlace } from './refuse-shared.ts';
import { runBeside } from './run-beside.ts';
import { runShared } from './run-shared.ts';
import { runOnBranch } from './run-on-branch.ts';
import { telling } from './telling.ts';
import type { Told } from './who-is-told.ts';

/**
 * Works through a plan (contract, "Commands": `run`). Checks come in the contract's order: repository, lock, recovery, plan and
 * configuration, work tree, agent. Throws Refusal (2, 3: nothing was touched; 4: stopped early, resumable), and Interrupted
 * where the signal aborts before the work begins.
 */
export async function runPlan(options: RunOptions, io: RunIo): Promise<RunResult> {
  const settled = { ...io, env: await settleLedger(io.env) };
  return stoppingWith(io.signal, () =>
    followed(options, settled, (watched, note) =>
      telling(options, watched, (heard, begin) =>
        choosePlace(options, heard, (told, config) => {
          begin(told);
          note({ top: told.top, plan: told.plan, config });
        }),
      ),
    ),
  );
}

async function choosePlace(
  options: RunOptions,
  io: RunIo,
  begin: (told: Told & { readonly plan: string }, config: Config) => void,
): Promise<RunResult> {
  const house = await openHouse(options.cwd, io.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const onBegin: PlaceJob['onBegin'] = (config) => {
    begin({ targets: config.notify ?? [], top: house.facts.top, plan: planPath }, config);
  };
  const job: PlaceJob = { options, io, house, planPath, onBegin };
  const { isolate = false, branch, ...asked } = await askedPlace(job);
  const remote = meetingPlace(house, asked, isSaidLocal(job));
  const meeting = remote === undefined ? undefined : { remote, branch };
  if (options.dryRun) return dryRun({ ...job, ...(meeting && { meeting }) });
  assertTemporary();
  if (meeting !== undefined) return runShared(job, meeting);
  if (isolate) return runBeside(job, branch);
  if (house.facts.head === undefined && (await isUntouched(house))) throw noCommit();
  const { onEvent, onEarlier, env } = io;
  return withBase({ house, env, planPath, onEvent, onEarlier }, (base, usedUp) => {
    const run = { ...base, options, io, onBegin };
    return branch === undefined ? carryOut(run, usedUp) : runOnBranch(run, branch, usedUp);
  });
}

/** `--ledger local`: what the user's own file says of a remote is for other runs then. */
function isSaidLocal({ io, options }: PlaceJob): boolean {
  return io.env[ledgerVariable] === 'local' && options.flags.remote === undefined;
}

/** Where the work is to be done. Read before any lock is taken; where a dead run left something, what is wrong with the plan is said after that is put back. */
async function askedPlace(job: PlaceJob): Promise<Pick<Config, 'isolate' | 'branch' | 'remote'>> {
  const { options, io, house, planPath } = job;
  try {
    const workspace = await house.workspace();
    const reading = { workspace, planPath, flags: options.flags, env: io.env };
    return (await readPlan(reading)).config;
  } catch (error) {
    const isOwn = house.shared === undefined && error instanceof Refusal;
    if (!isOwn || (await isUntouched(house))) throw error;
    return options.flags;
  }
}
