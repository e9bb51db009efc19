import { runPlan } from '../../src/index.ts';
import type { Config } from '../../src/index.ts';
import { jsonLine } from '../../src/report/json.ts';
import { shellLine } from '../../src/report/shell-word.ts';
import { openCi } from '../ci.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { openRunOutput } from '../run-output.ts';

export interface RunCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly plan: string | undefined;
  readonly tasks: readonly string[];
  readonly from: string | undefined;
  readonly flags: Config;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Options that every command about this plan needs, with a blank before; '' for none. */
  readonly planOption: string;
  /** The words of the command that does the rest of the plan; those that were typed unless given. */
  readonly onward?: readonly string[];
}

/** `skeleton run`: works through the plan and shows it; gives the exit status. */
export async function run(command: RunCommand, io: Io): Promise<number> {
  const { cwd, plan, tasks, from, flags, dryRun, json, quiet, verbose, planOption } = command;
  const again = shellLine(['skeleton', ...io.argv]);
  const onward = shellLine(['skeleton', ...(command.onward ?? io.argv)]);
  const ci = await openCi(io, cwd, io.err);
  const output = openRunOutput({ json, quiet, verbose, planOption, again, onward }, io, ci);
  const { onEvent, onEarlier, onProgress, onAgentOutput, onLine, onWarning } = output;
  const options = {
    cwd,
    tasks,
    flags,
    dryRun,
    verbose,
    ...(plan !== undefined && { planPath: plan }),
    ...(from !== undefined && { from }),
  };
  try {
    const result = await runPlan(options, {
      onEvent,
      onEarlier,
      onProgress,
      onAgentOutput,
      onLine,
      ...(json && { onDryRun: (would) => print(io.out, jsonLine({ type: 'dry-run', ...would })) }),
      onWarning,
      signal: io.windDown(),
      env: io.env,
    });
    return result.status;
  } finally {
    output.close();
  }
}
