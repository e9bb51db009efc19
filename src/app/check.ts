import { openHouse, planPathIn, type Environment, type House } from '../compose.ts';
import type { Plan } from '../core/plan/plan.ts';
import { settingsOf } from '../core/settings.ts';
import { Refusal, type Workspace } from '../ports.ts';
import { startPaths } from '../run/prepare.ts';
import { gatesOf, readPlan, type FileProblem, type PlanReading } from './read-plan.ts';

export interface CheckResult {
  readonly plan: Plan;
  readonly planPath: string;
  /** Of the plan and every configuration file: with any, a run would end with 2. */
  readonly problems: readonly FileProblem[];
  /** What else would stop a run, and the command that mends it. */
  readonly environment: readonly { readonly message: string; readonly mend: string }[];
  /** Names of the gates, in the order they run. */
  readonly gates: readonly string[];
}

/** Reads everything that a run would read, and runs nothing. Throws Refusal where there is no repository or no plan to read. */
export async function checkPlan(options: {
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
}): Promise<CheckResult> {
  const house = await openHouse(options.cwd, options.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const workspace = await house.workspace();
  const reading = await readPlan({ house, workspace, planPath, flags: {}, env: options.env });
  const gates = await attempt(() => gateNames(house, reading));
  const rest = [
    await attempt(() => workspace.assertReady()),
    await attempt(() => assertClean(workspace, planPath)),
    await attempt(async () => (await house.agent(reading.config)).assertReady()),
  ];
  return {
    plan: reading.plan,
    planPath,
    problems: reading.problems,
    environment: [gates, ...rest].flatMap(({ refusal }) => refusal ?? []),
    gates: gates.value ?? [],
  };
}

async function gateNames(house: House, { plan, config }: PlanReading): Promise<readonly string[]> {
  if (!settingsOf(config).judged) return [];
  const pending = plan.tasks.filter((task) => task.state === 'pending');
  const { all } = await gatesOf(await house.gates(config), plan, pending);
  return all.map((gate) => gate.name);
}

async function assertClean(workspace: Workspace, planPath: string): Promise<void> {
  startPaths(await workspace.dirt(), planPath);
}

interface Tried<T> {
  readonly value?: T;
  readonly refusal?: { readonly message: string; readonly mend: string };
}

/** A refusal is what `check` is for; anything else is a surprise. */
async function attempt<T>(work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: { message: error.message, mend: error.mend } };
  }
}
