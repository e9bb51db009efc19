import type { Plan, Task } from '../core/plan/plan.ts';
import { startTag } from '../core/refs.ts';
import { type Agents, Interrupted, Refusal, type Gate } from '../ports.ts';
import { runBaseline } from './baseline.ts';
import { isStartPath, startDirt, startPaths } from './prepare.ts';
import type { Slots } from './ahead.ts';
import { runPlan, type RunEnd } from './run-plan.ts';
import type { Session } from './session.ts';
import { stagedTasks } from './stages.ts';

export interface StartJob {
  readonly plan: Plan;
  readonly bytes: Uint8Array;
  /** Pending tasks to work on, at least one. */
  readonly tasks: readonly Task[];
  readonly lifted: ReadonlySet<string>;
  readonly usedUp: ReadonlySet<string>;
  /** Gates of the baseline run: those that judge every task. */
  readonly gates: readonly Gate[];
  /** Shown in the first line and kept: what the run was asked for. */
  readonly options: Readonly<Record<string, unknown>>;
  /** With more than one job. */
  readonly slots?: Slots | undefined;
  /** Sets aside what else is not committed, but for paths that `isLeft` wants; undefined where that has to be refused. */
  readonly setAside: ((isLeft: (path: string) => boolean) => Promise<void>) | undefined;
}

/**
 * From a readable plan to the run's end. Everything that can end with 3 comes before the start commit,
 * so that then nothing was touched (contract, "Exit status").
 */
export async function startRun(job: StartJob, session: Session): Promise<RunEnd> {
  const { workspace, agents } = session.ports;
  await workspace.assertReady(session.journal.plan);
  await job.slots?.assertReady();
  const dirt = await workspace.dirt();
  const start = startDirt(dirt, job.plan.path);
  const paths = startPaths(job.setAside === undefined ? dirt : start, job.plan.path);
  const taken = new Set(paths);
  const isLeft = (path: string): boolean => taken.has(path) || isStartPath(path, job.plan.path);
  const asStages = job.tasks.flatMap((task) => stagedTasks(task, session.settings));
  await assertReady(agents, asStages, session.settings.replay);
  await job.setAside?.(isLeft);
  const head = await headOf(session);
  const tree = paths.length > 0 ? await workspace.treeWith(paths) : await workspace.treeOf(head);
  const baseline = await runBaseline(
    { tree, plan: job.bytes, gates: job.gates, tasks: job.tasks },
    session,
  );
  if (session.isInterrupted()) throw new Interrupted('nothing was begun');
  const base = paths.length > 0 ? await commitStart(tree, session) : head;
  await session.journal.append('', {
    type: 'run.started',
    schema: 1,
    plan: job.plan.path,
    base,
    branch: workspace.facts.branch ?? '',
    start: await tagStart(base, session),
    options: job.options,
  });
  await session.journal.append('', { type: 'baseline.finished', ...baseline });
  return runPlan({ ...job, plan: job.bytes, base }, session, job.slots);
}

/**
 * All who may work on the tasks, each asked once. Throws Refusal (2: no such agent, 3: it cannot be called, or is signed out).
 * `replays`: one that cannot be called is no reason yet.
 */
export async function assertReady(
  agents: Agents,
  tasks: readonly Task[],
  replays = false,
): Promise<void> {
  const all = new Map(tasks.flatMap((task) => agents.of(task)).map((agent) => [agent.name, agent]));
  for (const agent of all.values()) {
    try {
      await agent.assertReady();
    } catch (error) {
      if (!replays || !(error instanceof Refusal) || error.status !== 3) throw error;
    }
  }
}

async function headOf(session: Session): Promise<string> {
  const head = await session.ports.workspace.resolve('HEAD');
  if (head === undefined) throw new Error('HEAD names no commit, though the repository was ready');
  return head;
}

async function commitStart(tree: string, session: Session): Promise<string> {
  const { plan, run } = session.journal;
  return session.ports.workspace.commitTree(tree, {
    subject: `skeleton: start ${plan}`,
    body: '',
    trailers: [['Skeleton-Run', run]],
  });
}

/** A start tag only where no checkpoint or earlier start of this plan stands; gives its name, or ''. */
export async function tagStart(base: string, session: Session): Promise<string> {
  const { workspace, ledger } = session.ports;
  const { plan } = session.journal;
  if (await ledger.knowsCommit(plan, base)) return '';
  const first = startTag(plan, 0);
  if (session.highestProof === 0 && (await ledger.highestNumber(plan)) === 0)
    if (await workspace.tag(first, base)) return first;
  for (;;) {
    const tag = startTag(plan, await ledger.takeNumber(plan, session.highestProof));
    if (await workspace.tag(tag, base)) return tag;
  }
}
