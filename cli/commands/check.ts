import { checkPlan } from '../../src/index.ts';
import { checkData, checkStatus, renderCheck } from '../../src/report/check.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

/** `skeleton check`: how the plan is read and what is wrong, 2, 3 or 0; runs nothing. */
export async function check(command: LookCommand, io: Io): Promise<number> {
  const { cwd, plan, json } = command;
  const facts = await checkPlan({
    cwd,
    env: io.env,
    ...(plan !== undefined && { planPath: plan }),
  });
  const { style } = chooseLook(io.env, io.out.isTerminal);
  print(io.out, json ? jsonLine(checkData(facts)) : renderCheck(facts, style));
  return checkStatus(facts);
}
