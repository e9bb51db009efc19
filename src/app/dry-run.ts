import type { House } from '../compose.ts';
import type { Task } from '../core/plan/plan.ts';
import type { AgentJob } from '../ports.ts';
import type { RunResult } from './carry-out.ts';
import { nothingToDo, readWork, type Work } from './read-work.ts';
import type { RunIo, RunOptions } from './run-base.ts';

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
  if (work.tasks.length === 0) {
    io.onLine(nothingToDo(work));
    return { status: 0 };
  }
  const head = (await workspace.resolve('HEAD')) ?? '';
  io.onLine(
    `would run ${work.tasks.length} of ${work.reading.plan.tasks.length} tasks with ${work.agents.name}:`,
  );
  for (const task of work.tasks) io.onLine(await line(task, work, head));
  io.onLine(gatesLine(work));
  return { status: 0 };
}

async function line(task: Task, work: Work, head: string): Promise<string> {
  const [agent] = work.agents.of(task);
  const prompt = await agent?.prompt(jobOf(task, work, head));
  const bytes = new TextEncoder().encode(prompt).length;
  const isLifted = work.lifted.has(task.id) && !task.explicitNeeds;
  const waits = isLifted ? [] : task.needs;
  const needs = waits.length > 0 ? `, after ${waits.join(', ')}` : '';
  return `  ${task.id}: ${task.title} (prompt ${bytes} bytes${needs})`;
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
