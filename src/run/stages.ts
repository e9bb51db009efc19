import type { TaskEvent } from '../core/events.ts';
import type { State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import type { Settings } from '../core/settings.ts';
import { isSamePlan, rejectionsOf } from '../core/stages/past.ts';
import { stagesOf, type Stage } from '../core/stages/stages.ts';
import type { Gate } from '../ports.ts';
import type { Life } from './life.ts';
import type { Session } from './session.ts';
import type { Staged } from './staged.ts';

/** What a stage works with in its task's place. */
export interface Step {
  readonly task: Task;
  readonly gates: readonly Gate[];
  readonly staged: Staged;
}

/** The task as its stages see it, each with its own agent and model; the task itself where it has none. */
export function stagedTasks(task: Task, { stages }: Pick<Settings, 'stages'>): readonly Task[] {
  const own = stagesOf(task.config, stages);
  return own.length === 0 ? [task] : own.map((stage) => asStage(task, stage));
}

/** A model is one of the agent for which it was named. */
export function asStage(task: Task, { agent, model }: Stage): Task {
  if (agent === undefined && model === undefined) return task;
  const { model: its, ...rest } = task.config;
  const named = model ?? (agent === undefined ? its : undefined);
  return {
    ...task,
    config: {
      ...rest,
      ...(agent !== undefined && { agent }),
      ...(named !== undefined && { model: named }),
    },
  };
}

/** The stages of a task, ready to be worked on; none where it has none. Throws Refusal(2) for gates that are not there. */
export async function openSteps(
  task: Task,
  all: readonly Gate[],
  { ports, plan, settings }: Pick<Session, 'ports' | 'plan' | 'settings'>,
): Promise<readonly Step[]> {
  const stages = stagesOf(task.config, settings.stages);
  const steps: Step[] = [];
  for (const [nth, stage] of stages.entries()) {
    const isLast = nth === stages.length - 1;
    const own = settings.judged && !isLast ? await ports.gates.find(plan, task, stage.gates) : [];
    const working = stages.slice(0, nth).findLastIndex(({ verdict }) => !verdict);
    steps.push({
      task: asStage(task, stage),
      gates: isLast ? all : own,
      staged: {
        ...{ stage, nth, of: stages.length, stages, all },
        ...(stage.verdict && { reviews: working }),
      },
    });
  }
  return steps;
}

/** The stage that comes next, or that is under way: the first where the stages are not those of the last attempt any more. */
export function stepIn(
  steps: readonly Step[],
  { stage = 0 }: State,
  events: readonly TaskEvent[],
): Step | undefined {
  const known = isSamePlan(
    events,
    steps.map((step) => step.staged.stage),
  );
  return steps[known ? stage : 0] ?? steps[0];
}

/** Whether the attempt under way judges work by its agent's answer. */
export function isReviewing({ state, staged }: Pick<Life, 'state' | 'staged'>): boolean {
  return staged?.reviews !== undefined && !('judges' in state);
}

/** Whether what passes goes on to the next stage. */
export function isIntermediate({ staged }: Pick<Life, 'staged'>): boolean {
  return staged !== undefined && staged.nth < staged.of - 1;
}

/** Most attempts of the task, were this stage rejected again and again: the machine gives up at the least of its limits. */
export function capOf(
  { state, staged, events }: Pick<Life, 'state' | 'staged' | 'events'>,
  attempts: number,
): number {
  const own = staged?.stage.attempts;
  if (staged === undefined || own === undefined) return attempts;
  const left = own - rejectionsOf(events, staged.stage.name).other;
  return Math.min(attempts, state.charged + Math.max(1, left));
}
