import { hostname } from 'node:os';
import { clock, openHouse } from '../compose.ts';
import { isolateBranch, shortRef } from '../core/refs.ts';
import { parsePlan } from '../core/plan/parse-plan.ts';
import { Refusal, type Claims, type Remote } from '../ports.ts';
import {
  branchOfTeam,
  deletedBranch,
  refuseOtherBranch,
  type BranchAsked,
} from './branch-of-team.ts';
import { carryOut, type RunResult, type Start } from './carry-out.ts';
import { tell } from './open-base.ts';
import { openTeam } from './open-team.ts';
import { noCommit } from './refuse-no-commit.ts';
import { openFolder, refuseUncommitted } from './run-beside.ts';
import type { OpenBase, PlaceJob } from './run-base.ts';
import { startShared } from './start-shared.ts';
import { withTeamBase } from './team-base.ts';
import { slugOf } from './whole-ledger.ts';

/** Where a run meets the other machines. */
export interface Meeting {
  /** Of the git remote by which code travels. */
  readonly remote: string;
  /** `--branch`; undefined: `skeleton/PLAN`. */
  readonly branch: string | undefined;
}

/**
 * Works on a plan together with other machines (`--ledger`, `--remote`), in a linked worktree beside the repository as an isolated
 * run does: the user's own work tree is only read. The plan is the one on the remote's branch, once there is one.
 */
export async function runShared(job: PlaceJob, meeting: Meeting): Promise<RunResult> {
  const { io, house, planPath } = job;
  if (house.facts.head === undefined) throw noCommit();
  await refuseUncommitted(job, 'what machines share is');
  const remote = await house.remote(meeting.remote);
  await remote.assertReady();
  const run = clock.id();
  const { ledger, claims, close } = await house.team(run);
  try {
    const slug = await slugOf(house, planPath, await ledger.plans());
    const { branch: asked } = meeting;
    const branch = asked === undefined ? isolateBranch(slug) : `refs/heads/${asked}`;
    const place = { ledger, slug, branch, isNamed: asked !== undefined, remote: remote.name };
    if (asked === undefined) await refuseOtherBranch(place, true);
    const tip = await findBranch(job, place, remote);
    const { folder, notices } = await openFolder(house, slug, asked);
    const inner = await openHouse(folder, io.env);
    const { onEvent, env } = io;
    const opening = { house: inner, env, planPath, slug, run, ledger, remote, onEvent };
    return await withTeamBase(opening, async (base) => {
      for (const notice of notices) await tell(base, notice);
      return inTeam({ job, base, remote, claims, branch, place, tip, folder });
    });
  } finally {
    await close();
  }
}

/** Where the remote has the branch. The ledger is asked first: whoever has begun there had pushed it before. */
async function findBranch(
  job: PlaceJob,
  place: BranchAsked,
  remote: Remote,
): Promise<string | undefined> {
  const { slug, branch } = place;
  const isKnown = (await branchOfTeam(place)) === branch;
  const tip = await remote.fetch(slug, branch);
  if (tip !== undefined) await followBranch(job, branch, tip);
  else if (isKnown) {
    const workspace = await job.house.workspace();
    throw deletedBranch(place, (await workspace.resolve(branch)) !== undefined);
  }
  return tip;
}

/** A clone that has not worked on the plan yet begins at the remote's branch, and not at its own HEAD. */
async function followBranch({ house }: PlaceJob, branch: string, tip: string): Promise<void> {
  const workspace = await house.workspace();
  if ((await workspace.resolve(branch)) === undefined)
    await (await house.keeper()).makeBranch(branch, tip);
}

interface Joining {
  readonly job: PlaceJob;
  readonly base: OpenBase;
  readonly remote: Remote;
  readonly claims: Claims;
  readonly branch: string;
  readonly place: BranchAsked;
  /** Where the remote has the branch; undefined where there is none yet. */
  readonly tip: string | undefined;
  readonly folder: string;
}

async function inTeam(joining: Joining): Promise<RunResult> {
  const { job, base, claims, folder } = joining;
  const { slug, house } = base;
  const { isAlone } = await claims.join(slug, await idsOf(joining));
  try {
    await bringUp(joining, isAlone);
    const workspace = await house.workspace();
    const { options, io, onBegin } = job;
    const run = { ...base, workspace, options, io, onBegin, claims, isolated: folder };
    const start: Start = async (asked, session, work) => {
      const { remote, branch } = joining;
      const owner = `${hostname()} ${process.pid} ${base.run}`;
      const team = openTeam({ base: run, work, session, claims, remote, branch, owner });
      const { keeper } = base;
      // Whoever came at the same time may have begun elsewhere meanwhile.
      const assertBranch = async (): Promise<void> =>
        refuseOtherBranch(joining.place, (await claims.join(slug, [])).isAlone);
      return startShared(asked, { session, team, keeper, assertBranch });
    };
    // What a worker that is gone had brought onto the branch, and could not write down.
    const isOwed = async (): Promise<boolean> =>
      (await base.ledger.underWayElsewhere(slug, '')).length > 0;
    return await carryOut(run, new Set(), start, isOwed);
  } finally {
    await claims.leave(slug);
  }
}

/** Ids of the plan as it is on the branch, and as it is in the user's own HEAD. */
async function idsOf({ job, base, tip }: Joining): Promise<readonly string[]> {
  const { house, planPath } = job;
  const ids = new Set<string>();
  for (const commit of [tip, house.facts.head]) {
    const bytes = commit && (await base.workspace.readAt(commit, planPath));
    if (bytes) for (const { id } of parsePlan(bytes, planPath).tasks) ids.add(id);
  }
  return [...ids];
}

/** This worker's tree at the branch; what the user has committed since comes in where nobody is at work and that is a mere step forward. */
async function bringUp(joining: Joining, isAlone: boolean): Promise<void> {
  const { job, base, tip, remote, branch } = joining;
  const { keeper, slug } = base;
  const own = job.house.facts.head ?? '';
  const at = await whereItStands(joining);
  const from = tip ?? at;
  const isHeld = await keeper.contains(from, own);
  const isStep = !isHeld && isAlone && (await keeper.contains(own, from));
  const to = isStep ? own : from;
  if (to !== at) await keeper.moveBranch(slug, to);
  if (isHeld || isStep) return;
  const words = `${shortRef(branch)} on ${remote.name} does not hold what you have committed`;
  await tell(base, `${words}; to take it in: git push ${remote.name} HEAD:${shortRef(branch)}`);
}

/** Throws Refusal(3) for commits that the branch on the remote does not hold. */
async function whereItStands(joining: Joining): Promise<string> {
  const { base, tip } = joining;
  const at = (await base.workspace.resolve('HEAD')) ?? '';
  if (tip !== undefined && !(await base.keeper.contains(tip, at))) throw unpushed(joining, at);
  return at;
}

function unpushed({ branch, remote }: Joining, at: string): Refusal {
  const name = shortRef(branch);
  return new Refusal(
    3,
    `your branch ${name} is at ${at.slice(0, 10)}, which ${remote.name} does not hold`,
    `git push ${remote.name} ${name}, or git branch -m ${name} ANOTHER-NAME`,
  );
}
