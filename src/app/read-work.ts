import type { House } from '../compose.ts';
import { measurable, unmeasured } from '../core/budget.ts';
import type { Task } from '../core/plan/plan.ts';
import { findTask, select } from '../core/schedule.ts';
import { settingsOf, type Settings } from '../core/settings.ts';
import { Refusal, type Agents, type Gate, type Gates, type Workspace } from '../ports.ts';
import { refuseProblems } from '../run/prepare.ts';
import { stagedTasks } from '../run/stages.ts';
import { stepProblems } from './step-problems.ts';
import { gatesOf, problemLine, readPlan, type PlanReading } from './read-plan.ts';
import type { RunIo, RunOptions } from './run-base.ts';

/** What a run is about to do. */
export interface Work {
  readonly reading: PlanReading;
  readonly settings: Settings;
  /** Pending and selected, in the plan's order. */
  readonly tasks: readonly Task[];
  readonly lifted: ReadonlySet<string>;
  readonly named: readonly string[];
  readonly gates: Gates;
  readonly all: readonly Gate[];
  readonly common: readonly Gate[];
  readonly agents: Agents;
}

export interface WorkJob {
  readonly options: RunOptions;
  readonly io: RunIo;
  readonly house: House;
  readonly workspace: Workspace;
  readonly planPath: string;
}

const nobody: Agents = { name: '', of: () => [] };

/** Reads plan, configuration and gates; throws Refusal(2) with every problem at once. */
export async function readWork(job: WorkJob): Promise<Work> {
  const { options, io, house } = job;
  const reading = await readPlan({ ...job, flags: options.flags, env: io.env });
  refuseProblems(reading.problems.map(problemLine));
  const { plan, config } = reading;
  const settings = settingsOf(config);
  const { from, tasks: named } = options;
  const { tasks, problems } = select(plan, { named, from, limit: settings.limit });
  refuseProblems(problems);
  const gates = await house.gates(config);
  const found = settings.judged ? await gatesOf(gates, plan, tasks) : { all: [], common: [] };
  const sink = options.verbose ? io.onAgentOutput : undefined;
  // Where nothing is to be done, nobody has to be there to do it.
  const agents = tasks.length === 0 ? nobody : await house.agents(config, sink);
  const ofSteps = await stepProblems({ reading, tasks, gates, agents });
  refuseProblems(ofSteps.map(problemLine));
  const asStages = tasks.flatMap((task) => stagedTasks(task, settings));
  refuseUnmeasured(settings, agents, asStages);
  const lifted = new Set(named.flatMap((name) => findTask(plan, name)?.id ?? []));
  return { reading, settings, tasks, lifted, named, gates, ...found, agents };
}

/** A budget that an agent of this run would not let us keep. Its fallbacks are its own too. */
function refuseUnmeasured({ budget }: Settings, agents: Agents, tasks: readonly Task[]): void {
  if (budget === undefined) return;
  const all = new Map(tasks.flatMap((task) => agents.of(task)).map((agent) => [agent.name, agent]));
  const problems = [...all.values()].flatMap((agent) => unmeasured(budget, agent) ?? []);
  if (problems.length > 0) throw new Refusal(2, problems.join('\n'), measurable([...all.values()]));
}

export function nothingToDo({ reading: { plan }, named }: Work): string {
  const what = named.length > 0 ? named.join(', ') : `all ${plan.tasks.length} tasks`;
  const are = named.length === 1 ? 'is' : 'are';
  return `nothing to do: ${what} of ${plan.path} ${are} done or skipped`;
}
