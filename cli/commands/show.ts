import { readAttempt, readHistory } from '../../src/index.ts';
import { summarise } from '../../src/core/summary.ts';
import { renderShow, showData } from '../../src/report/show.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import { findAttempt } from '../find-attempt.ts';
import type { Io } from '../io.ts';
import { tellNotice } from '../tell-notice.ts';
import type { LookCommand } from './status.ts';

export interface ShowCommand extends LookCommand {
  /** `TASK` or `TASK#N`; the task by its id or its number. */
  readonly attempt: string;
}

/** `skeleton show TASK[#N]`: one attempt's prompt, diff and gate output. Throws Refusal(2) where there is no such attempt. */
export async function show(command: ShowCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, json } = command;
  const history = await readHistory({
    cwd,
    env: io.env,
    ...(planPath !== undefined && { planPath }),
  });
  tellNotice(history.notice, io);
  const { tasks } = summarise(history.plan?.tasks, history.events);
  const { task, attempt } = findAttempt(tasks, command.attempt);
  const shown = await readAttempt(history, task.title, attempt);
  const { style } = chooseLook(io.env, io.out.isTerminal);
  print(io.out, json ? jsonLine(showData(shown)) : renderShow(shown, style));
  return 0;
}
