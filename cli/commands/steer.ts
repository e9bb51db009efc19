import { steer as steerRun } from '../../src/index.ts';
import type { Order } from '../../src/core/steered.ts';
import { jsonLine } from '../../src/report/json.ts';
import { renderSteered, steeredData } from '../../src/report/steered.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface SteerCommand extends LookCommand {
  readonly order: Order;
}

/** `skeleton pause`, `resume`, `tell` and `skip`: asks it of the run that goes on, or of the next one, and says what comes of it. */
export async function steer(command: SteerCommand, io: Io): Promise<number> {
  const { cwd, plan, json, planOption, order } = command;
  const place = { cwd, env: io.env, ...(plan !== undefined && { planPath: plan }) };
  const steered = await steerRun(order, place);
  const now = new Date().toISOString();
  print(
    io.out,
    json ? jsonLine(steeredData(steered)) : renderSteered(steered, { planOption, now }),
  );
  return 0;
}
