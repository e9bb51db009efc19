import { join } from 'node:path';
import { readHistory } from '../../src/index.ts';
import type { History } from '../../src/index.ts';
import { taskSlug } from '../../src/core/refs.ts';
import { summarise } from '../../src/core/summary.ts';
import { renderShow, showData } from '../../src/report/show.ts';
import type { ShownAttempt } from '../../src/report/show.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import { findAttempt } from '../find-attempt.ts';
import type { FoundAttempt } from '../find-attempt.ts';
import type { Io } from '../io.ts';
import { tellNotice } from '../tell-notice.ts';
import { readSmallFile } from '../read-small-file.ts';
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
  const shown = await readAttempt(history, findAttempt(tasks, command.attempt));
  const { style } = chooseLook(io.env, io.out.isTerminal);
  print(io.out, json ? jsonLine(showData(shown)) : renderShow(shown, style));
  return 0;
}

async function readAttempt(
  history: History,
  { task, attempt }: FoundAttempt,
): Promise<ShownAttempt> {
  const { stateFolder } = history;
  const folder = join(stateFolder, 'logs', attempt.run, taskSlug(task.id), String(attempt.number));
  const { outcome, snapshot, agentEnd } = attempt;
  const end = outcome.kind === 'passed' ? outcome.commit : snapshot?.commit;
  const outputs = new Map<string, string>();
  for (const { name, log } of attempt.gates) {
    const output = log === '' ? undefined : await readSmallFile(join(stateFolder, log));
    if (output !== undefined) outputs.set(name, output);
  }
  return {
    attempt,
    title: task.title,
    prompt: await readSmallFile(join(folder, 'prompt.md')),
    diff: end === undefined ? undefined : await history.diff(attempt.base, end),
    pruned: {
      logs: history.pruned.has(`logs/${attempt.run}`),
      snapshot: history.pruned.has(snapshot?.ref ?? ''),
    },
    outputs,
    agentLog: agentEnd && join(stateFolder, agentEnd.log),
  };
}
