import type { Task } from '../core/plan/plan.ts';
import { oneLine } from '../core/text.ts';
import { settingsOf } from '../core/settings.ts';
import { stagesOf, type Stage } from '../core/stages/stages.ts';
import { asStage } from '../run/stages.ts';
import { Refusal, type Agents, type Gates } from '../ports.ts';
import type { FileProblem, PlanReading } from './read-plan.ts';

interface StepsJob {
  readonly reading: PlanReading;
  readonly tasks: readonly Task[];
  readonly gates: Gates;
  /** Undefined where none can be called. */
  readonly agents: Agents | undefined;
}

/** What is wrong with the gates and agents that stages name, each told once, where the stage stands; nothing runs. */
export async function stepProblems(job: StepsJob): Promise<readonly FileProblem[]> {
  const { config } = job.reading;
  const found = new Map<string, FileProblem>();
  for (const task of job.tasks) {
    const stages = stagesOf(task.config, config.stages);
    for (const [nth, stage] of stages.entries()) {
      const isLast = nth === stages.length - 1;
      const isJudged = settingsOf(config).judged && !isLast;
      const unheard = isLast && stage.gates.length > 0 ? [ofTheLast(task)] : [];
      for (const message of [
        ...unheard,
        ...(await messagesOf(task, stage, { ...job, isJudged })),
      ]) {
        const place = placeOf(task, stage, job.reading);
        const told = { ...place, message: `stage ${stage.name}: ${message}` };
        found.set(JSON.stringify(told), told);
      }
    }
  }
  return [...found.values()];
}

/** Gates that would judge nothing are not passed over. */
function ofTheLast({ id }: Task): string {
  return `it is the last one of ${oneLine(id)}, which all gates of the task judge: say its own under the task's gate: or the plan's gates:`;
}

async function messagesOf(
  task: Task,
  stage: Stage,
  { reading, gates, agents, isJudged }: StepsJob & { readonly isJudged: boolean },
): Promise<readonly string[]> {
  const own = stage.agent ?? stage.model;
  return [
    ...(isJudged ? await refusedBy(() => gates.find(reading.plan, task, stage.gates)) : []),
    ...(own === undefined ? [] : await refusedBy(() => agents?.of(asStage(task, stage)))),
  ];
}

async function refusedBy(work: () => unknown): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Who is not there is told where all are asked whether they can be called.
    return error.status !== 2 ? [] : error.message.split('\n').map(oneLine);
  }
}

/** A stage that only its task names stands there. */
function placeOf(
  task: Task,
  { name }: Stage,
  { plan, config, stagesIn }: PlanReading,
): Pick<FileProblem, 'file' | 'line'> {
  const line = config.stages?.find((stage) => stage.name === name)?.line;
  return line === undefined ? { file: plan.path, line: task.line } : { file: stagesIn, line };
}
