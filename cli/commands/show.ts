import { join } from 'node:path';
import { readHistory, Refusal } from '../../src/index.ts';
import type { History } from '../../src/index.ts';
import { nearest } from '../../src/core/config/nearest.ts';
import { taskSlug } from '../../src/core/refs.ts';
import { summarise } from '../../src/core/summary.ts';
import type { AttemptSummary } from '../../src/core/attempt-summary.ts';
import type { TaskSummary } from '../../src/core/summary.ts';
import { renderShow, showData } from '../../src/report/show.ts';
import type { ShownAttempt } from '../../src/report/show.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
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
  const { tasks } = summarise(history.plan?.tasks, history.events);
  const shown = await readAttempt(history, findAttempt(tasks, command.attempt));
  const { style } = chooseLook(io.env, io.out.isTerminal);
  print(io.out, json ? jsonLine(showData(shown)) : renderShow(shown, style));
  return 0;
}

interface Found {
  readonly task: TaskSummary;
  readonly attempt: AttemptSummary;
}

function findAttempt(tasks: readonly TaskSummary[], asked: string): Found {
  const { task, number } = parseAttempt(tasks, asked);
  const attempt =
    number === undefined
      ? task.attempts.at(-1)
      : task.attempts.find((one) => one.number === number);
  if (attempt !== undefined) return { task, attempt };
  if (task.attempts.length === 0)
    throw new Refusal(2, `task '${task.id}' has no attempt yet`, 'skeleton run');
  throw new Refusal(2, `task '${task.id}' has no attempt ${number ?? ''}`, 'skeleton log');
}

/** An id may itself end like `#2`: a task of exactly that name goes first. */
function parseAttempt(
  tasks: readonly TaskSummary[],
  asked: string,
): { readonly task: TaskSummary; readonly number: number | undefined } {
  const whole = findTask(tasks, asked);
  if (whole !== undefined) return { task: whole, number: undefined };
  const [, name = asked, number] = /^(.+)#(\d+)$/.exec(asked) ?? [];
  const task = findTask(tasks, name);
  if (task === undefined) throw unknownTask(tasks, name);
  return { task, number: number === undefined ? undefined : Number(number) };
}

function findTask(tasks: readonly TaskSummary[], name: string): TaskSummary | undefined {
  const byId = tasks.find((task) => task.id === name);
  return byId ?? (/^\d+$/.test(name) ? tasks[Number(name) - 1] : undefined);
}

function unknownTask(tasks: readonly TaskSummary[], name: string): Refusal {
  const ids = tasks.map((task) => task.id);
  const near = nearest(name, ids);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  return new Refusal(2, `there is no task '${name}'${hint}`, 'skeleton status');
}

async function readAttempt(history: History, { task, attempt }: Found): Promise<ShownAttempt> {
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
    outputs,
    agentLog: agentEnd && join(stateFolder, agentEnd.log),
  };
}
