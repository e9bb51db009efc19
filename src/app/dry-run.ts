import type { House } from '../compose.ts';
import type { Task } from '../core/plan/plan.ts';
import type { AgentJob } from '../ports.ts';
import type { RunResult } from './carry-out.ts';
import { nothingToDo, readWork, type Work } from './read-work.ts';
import type { RunIo, RunOptions, WouldDo } from './run-base.ts';

export interface DryRunJob {
  readonly options: RunOptions;
  readonly io: RunIo;
  readonly house: House;
  readonly planPath: string;
}

/** Says what a run would do, in order, and does nothing: no lock, no ledger, no agent, no gate. */
export async function dryRun(job: DryRunJob): Promise<RunResult> {
  const { io, house } = job;
  const workspace = await house.workspace();
  const work = await readWork({ ...job, workspace });
  const head = (await workspace.resolve('HEAD')) ?? '';
  const tasks = await Promise.all(work.tasks.map((task) => wouldDo(task, work, head)));
  io.onDryRun?.({ agent: work.agents.name, tasks, gates: work.all.map((gate) => gate.name) });
  if (tasks.length === 0) {
    io.onLine(nothingToDo(work));
    return { status: 0 };
  }
  const all = work.reading.plan.tasks.length;
  io.onLine(`would run ${tasks.length} of ${all} tasks with ${work.agents.name}:`);
  for (const task of tasks) io.onLine(line(task));
  io.onLine(gatesLine(work));
  return { status: 0 };
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

function line({ id, title, promptBytes, needs }: Would): string {
  const waits = needs.length > 0 ? `, after ${needs.join(', ')}` : '';
  return `  ${id}: ${title} (prompt ${promptBytes} bytes${waits})`;
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
