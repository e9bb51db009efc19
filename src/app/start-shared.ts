import { Interrupted, Refusal, type Keeper } from '../ports.ts';
import { runBaseline } from '../run/baseline.ts';
import { runInTeam } from '../run/run-in-team.ts';
import type { RunEnd } from '../run/run-plan.ts';
import type { Session } from '../run/session.ts';
import { assertReady, tagStart, type StartJob } from '../run/start-run.ts';
import { startPaths } from '../run/prepare.ts';
import type { Team } from '../run/team.ts';

interface SharedStart {
  readonly session: Session;
  readonly team: Team;
  readonly keeper: Pick<Keeper, 'contains'>;
  /** Throws Refusal(3) where the plan is worked on on another branch. */
  readonly assertBranch: () => Promise<void>;
}

/**
 * From a readable plan to the run's end, among other machines. All that can end with 3 comes before anything is pushed; the first
 * of a team makes the branch, with a start tag.
 */
export async function startShared(job: StartJob, shared: SharedStart): Promise<RunEnd> {
  const { session, team, assertBranch } = shared;
  const { workspace, agents } = session.ports;
  if (session.settings.jobs > 1) throw manyJobs(session.settings.jobs);
  await workspace.assertReady(session.journal.plan);
  refuseDirt(startPaths(await workspace.dirt(), job.plan.path), workspace.facts.top);
  await assertReady(agents, job.tasks, session.settings.replay);
  const head = (await workspace.resolve('HEAD')) ?? '';
  const tree = await workspace.treeOf(head);
  const { gates, tasks, bytes: plan } = job;
  const baseline = await runBaseline({ tree, plan, gates, tasks }, session);
  const turn = await team.claims.turn(session.journal.plan, session.signal);
  if (turn === undefined || session.isInterrupted()) {
    await turn?.release();
    throw new Interrupted('nothing was begun');
  }
  try {
    await turn.assertHeld();
    await assertBranch();
    const start = await putForward(head, shared);
    const { base } = start;
    await session.journal.append('', {
      ...{ type: 'run.started', schema: 1, plan: job.plan.path, base, branch: team.branch },
      ...{ start: start.tag, options: job.options },
    });
  } finally {
    await turn.release();
  }
  await session.journal.append('', { type: 'baseline.finished', ...baseline });
  return runInTeam({ ...job, plan }, session, team);
}

function manyJobs(jobs: number): Refusal {
  return new Refusal(
    2,
    `--jobs ${jobs} does not go with a shared ledger: each worker does one task at a time`,
    'start more workers, each in a clone of its own',
  );
}

function refuseDirt(paths: readonly string[], folder: string): void {
  if (paths.length === 0) return;
  throw new Refusal(
    3,
    `the worktree of this run has changes that are not committed: ${paths.join(', ')}`,
    `git -C '${folder}' status`,
  );
}

interface Started {
  /** Where the branch stands on the remote now. */
  readonly base: string;
  readonly tag: string;
}

/** The remote's branch holds what this machine begins with. */
async function putForward(head: string, shared: SharedStart): Promise<Started> {
  const { session, team, keeper } = shared;
  const { remote, branch } = team;
  const { plan } = session.journal;
  const there = await remote.fetch(plan, branch);
  if (there === undefined) {
    const tag = await tagStart(head, session);
    if (await remote.begin(branch, { tag, commit: head })) return { base: head, tag };
    return putForward(head, shared);
  }
  if (there === head || (await keeper.contains(there, head))) return { base: there, tag: '' };
  const tag = await tagStart(head, session);
  if (await remote.forward(branch, there, { tag, commit: head })) return { base: head, tag };
  throw new Refusal(4, `${branch} moved on ${remote.name} meanwhile`, 'skeleton run');
}
