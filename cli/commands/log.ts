import { readHistory } from '../../src/index.ts';
import { attemptsOf, summarise } from '../../src/core/summary.ts';
import { loggedData, renderLog } from '../../src/report/log.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { tellNotice } from '../tell-notice.ts';
import type { LookCommand } from './status.ts';

/** `skeleton log`: every attempt, newest last. */
export async function log(command: LookCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, json } = command;
  const history = await readHistory({
    cwd,
    env: io.env,
    ...(planPath !== undefined && { planPath }),
  });
  tellNotice(history.notice, io);
  const attempts = attemptsOf(summarise(history.plan?.tasks, history.events));
  const { style } = chooseLook(io.env, io.out.isTerminal);
  if (json)
    for (const attempt of attempts) print(io.out, jsonLine(loggedData(attempt, history.pruned)));
  else print(io.out, renderLog(attempts, style, history.pruned));
  return 0;
}
