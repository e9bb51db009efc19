import { take as takeWork } from '../../src/index.ts';
import { shellLine } from '../../src/report/shell-word.ts';
import { openCi } from '../ci.ts';
import type { Io } from '../io.ts';
import { openRunOutput } from '../run-output.ts';
import type { LookCommand } from './status.ts';

export interface TakeCommand extends LookCommand {
  readonly task: string;
}

/** `skeleton take TASK`: judges what a person did, and shows it as a run of one attempt; gives the exit status. */
export async function take(command: TakeCommand, io: Io): Promise<number> {
  const { cwd, plan, task, json, planOption } = command;
  const again = shellLine(['skeleton', ...io.argv]);
  const onward = `skeleton run${planOption}`;
  const look = { json, quiet: false, verbose: false, planOption, again, onward };
  const output = openRunOutput(look, io, await openCi(io, cwd, io.err));
  const { onEvent, onEarlier, onProgress, onLine } = output;
  try {
    const options = { cwd, task, ...(plan !== undefined && { planPath: plan }) };
    const ways = { onEvent, onEarlier, onProgress, onLine, signal: io.windDown(), env: io.env };
    return (await takeWork(options, ways)).status;
  } finally {
    output.close();
  }
}
