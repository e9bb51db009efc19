import { skip } from '../core/plan/skip.ts';
import { findTask, select } from '../core/schedule.ts';
import { Refusal } from '../ports.ts';
import type { PlanEdit, PlanWatch } from '../run/plan-watch.ts';
import { assertReady } from '../run/start-run.ts';
import { gatesOf, problemLine, readPlan, type PlanReading } from './read-plan.ts';
import type { Work } from './read-work.ts';
import type { RunBase } from './run-base.ts';

/** The plan of a run that has begun, as it lies in its work tree. */
export function openPlanWatch(base: RunBase, work: Work): PlanWatch {
  const { workspace, planPath, options, io } = base;
  const reading = async (): Promise<PlanReading> =>
    readPlan({ workspace, planPath, flags: options.flags, env: io.env });
  return {
    isStill: async (bytes) => workspace.holds(planPath, bytes),
    read: async () => {
      try {
        return await editOf(await reading(), base, work);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { kind: 'unfit', problems: [error.message] };
      }
    },
    markSkipped: async (tasks) => {
      const { plan, bytes } = await reading();
      const known = new Set(plan.tasks.map(({ id }) => id));
      const due = tasks.filter((id) => known.has(id));
      const marked = due.reduce((before, id) => skip(before, planPath, id), bytes);
      await workspace.writeWorkFile(planPath, marked);
    },
  };
}

async function editOf(reading: PlanReading, base: RunBase, work: Work): Promise<PlanEdit> {
  const { plan, bytes, config, problems } = reading;
  if (problems.length > 0) return { kind: 'unfit', problems: problems.map(problemLine) };
  if (JSON.stringify(config) !== JSON.stringify(work.reading.config))
    return {
      kind: 'unfit',
      problems: [`${plan.path}: its front matter was changed, which the next run goes by`],
    };
  const { tasks, problems: unmet } = selectAgain(reading, base, work);
  if (unmet.length > 0) return { kind: 'unfit', problems: unmet };
  if (work.settings.judged) await gatesOf(work.gates, plan, tasks);
  await assertReady(work.agents, tasks, work.settings.replay);
  return { kind: 'fit', plan, bytes, tasks };
}

/** Numbers that were named mean the tasks that had them at first; of those, the ones that are still there. */
function selectAgain(
  { plan }: PlanReading,
  { options }: RunBase,
  { lifted, reading }: Work,
): ReturnType<typeof select> {
  const known = [...lifted].filter((id) => plan.tasks.some((task) => task.id === id));
  if (lifted.size > 0 && known.length === 0) return { tasks: [], problems: [] };
  const from = options.from === undefined ? undefined : findTask(reading.plan, options.from)?.id;
  return select(plan, { named: known, from, limit: Infinity });
}
