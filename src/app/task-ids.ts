import { openHouse, planPathIn, type Environment } from '../compose.ts';
import { Refusal } from '../ports.ts';
import { readPlanFile } from '../run/prepare.ts';

/** The ids of a plan's tasks, in its order; none where there is no plan that can be read. The history is not looked at. */
export async function taskIds(options: {
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
}): Promise<readonly string[]> {
  try {
    const house = await openHouse(options.cwd, options.env);
    const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
    const { plan } = await readPlanFile(await house.looker(), planPath);
    return plan.tasks.map(({ id }) => id);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
