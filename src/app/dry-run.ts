import type { House } from '../compose.ts';
import type { Task } from '../core/plan/plan.ts';
import { isolateBranch } from '../core/refs.ts';
import type { AgentJob } from '../ports.ts';
import type { RunResult } from './carry-out.ts';
import { filesAt } from './files-at.ts';
import { readPlans } from './read-ledger.ts';
import { nothingToDo, readWork, type Work } from './read-work.ts';
import type { RunIo, RunOptions, WouldDo } from './run-base.ts';
import type { Meeting } from './run-shared.ts';
import { slugOf } from './whole-ledger.ts';

export interface DryRunJob {
  readonly options: RunOptions;
  readonly io: RunIo;
  readonly house: House;
  readonly planPath: string;
  /** Where the run would meet other machines. */
  readonly meeting?: Meeting;
}

/**
 * Says what a run would do, in order, and does nothing: no lock, no agent, no gate, nothing in the ledger. Where machines meet, the plan
 * is the one on their branch, which is fetched for that.
 */
export async function dryRun(job: DryRunJob): Promise<RunResult> {
  const { io, house } = job;
  const workspace = await house.workspace();
  const shared = job.meeting && (await sharedState(job, job.meeting));
  const tip = shared?.tip;
  const files = tip === undefined ? workspace : { ...workspace, ...filesAt(tip, workspace) };
  const work = await readWork({ ...job, workspace: files });
  const head = (await workspace.resolve('HEAD')) ?? '';
  const tasks = await Promise.all(work.tasks.map((task) => wouldDo(task, work, head)));
  io.onDryRun?.({ agent: work.agents.name, tasks, gates: work.all.map((gate) => gate.name) });
  if (tasks.length === 0) {
    io.onLine(nothingToDo(work));
    return { status: 0 };
  }
  const all = work.reading.plan.tasks.length;
  io.onLine(`would run ${tasks.length} of ${all} tasks with ${work.agents.name}:`);
  for (const task of tasks) io.onLine(line(task, shared?.held));
  io.onLine(gatesLine(work));
  return { status: 0 };
}

interface SharedState {
  /** Of the branch on the remote; undefined where there is none yet. */
  readonly tip: string | undefined;
  /** The machine by the task that is held. */
  readonly held: ReadonlyMap<string, string>;
}

async function sharedState(
  { house, planPath }: DryRunJob,
  { remote: name, branch: asked }: Meeting,
): Promise<SharedState> {
  const slug = await slugOf(house, planPath, await readPlans(house));
  const remote = await house.remote(name);
  await remote.assertReady();
  const branch = asked === undefined ? isolateBranch(slug) : `refs/heads/${asked}`;
  const tip = await remote.fetch(slug, branch);
  const look = await house.look();
  try {
    const held = (await look?.work(slug))?.held ?? [];
    return { tip, held: new Map(held.map(({ task, host }) => [task, host])) };
  } finally {
    await look?.close();
  }
}

type Would = WouldDo['tasks'][number];

async function wouldDo(task: Task, work: Work, head: string): Promise<Would> {
  const [agent] = work.agents.of(task);
  const prompt = await agent?.prompt(jobOf(task, work, head));
  const isLifted = work.lifted.has(task.id) && !task.explicitNeeds;
  const { id, title, needs } = task;
  const promptBytes = new TextEncoder().encode(prompt).length;
  return { id, title, promptBytes, needs: isLifted ? [] : needs };
}

function line({ id, title, promptBytes, needs }: Would, held?: SharedState['held']): string {
  const host = held?.get(id);
  const is = host === undefined ? '' : `, under way on ${host}`;
  const waits = needs.length > 0 ? `, after ${needs.join(', ')}` : '';
  return `  ${id}: ${title} (prompt ${promptBytes} bytes${waits}${is})`;
}

function gatesLine({ all, settings }: Work): string {
  if (!settings.judged) return 'no gates: --no-gates, so every task would be unjudged';
  return `gates: ${all.map((gate) => gate.name).join(', ')}`;
}

function jobOf(task: Task, work: Work, base: string): AgentJob {
  return {
    plan: work.reading.plan,
    task,
    attempt: { number: 1, attempt: 1, attempts: task.config.attempts ?? work.settings.attempts },
    run: 'dry-run',
    base,
    token: 'dry-run',
    gates: work.all.map((gate) => gate.name),
    protect: work.settings.protect,
    feedback: undefined,
    logFolder: '',
    signal: new AbortController().signal,
  };
}
