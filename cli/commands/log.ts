import { readFoldedHistory, readHistory } from '../../src/index.ts';
import { attemptsOf, summarise, summaryOf } from '../../src/core/summary.ts';
import { loggedData, renderLog } from '../../src/report/log.ts';
import { toldLines } from '../../src/report/told.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { refuseMistyped } from '../refuse-no-plan.ts';
import { tellNotice } from '../tell-notice.ts';
import type { LookCommand } from './status.ts';

/** `skeleton log`: every attempt, newest last. */
export async function log(command: LookCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, json } = command;
  const place = { cwd, env: io.env, ...(planPath !== undefined && { planPath }) };
  if (json) {
    const history = await readHistory(place);
    refuseMistyped(planPath, history, 'log');
    tellNotice(history.notice, io);
    for (const attempt of attemptsOf(summarise(history.plan?.tasks, history.events)))
      print(io.out, jsonLine(loggedData(attempt, history.pruned)));
    return 0;
  }
  const history = await readFoldedHistory(place);
  refuseMistyped(planPath, history, 'log');
  tellNotice(history.notice, io);
  const summary = summaryOf(history.plan?.tasks, history.past);
  const { style } = chooseLook(io.env, io.out.isTerminal);
  const attempts = renderLog(attemptsOf(summary), style, history.pruned);
  print(io.out, [attempts, ...toldLines(summary.tasks)].join('\n'));
  return 0;
}
