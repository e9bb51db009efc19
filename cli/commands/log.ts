import { readHistory } from '../../src/index.ts';
import { attemptsOf, summarise } from '../../src/core/summary.ts';
import { attemptData, renderLog } from '../../src/report/log.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

/** `skeleton log`: every attempt, newest last. */
export async function log(command: LookCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, json } = command;
  const history = await readHistory({
    cwd,
    env: io.env,
    ...(planPath !== undefined && { planPath }),
  });
  const attempts = attemptsOf(summarise(history.plan?.tasks, history.events));
  const { style } = chooseLook(io.env, io.out.isTerminal);
  if (json) for (const attempt of attempts) print(io.out, jsonLine(attemptData(attempt)));
  else print(io.out, renderLog(attempts, style));
  return 0;
}
