import { runPlan } from '../../src/index.ts';
import type { Config, RunOptions, RunResult } from '../../src/index.ts';
import { jsonLine } from '../../src/report/json.ts';
import { shellLine } from '../../src/report/shell-word.ts';
import { openCi } from '../ci.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { shownArgv } from '../ledger-option.ts';
import { openRunOutput } from '../run-output.ts';
import type { RunOutput } from '../run-output.ts';

export interface RunCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly plan: string | undefined;
  readonly tasks: readonly string[];
  readonly from: string | undefined;
  readonly flags: Config;
  /** True: the key is made of what is to be done. */
  readonly once?: string | true | undefined;
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
  const { cwd, dryRun, json, quiet, verbose, planOption } = command;
  const again = shellLine(['skeleton', ...shownArgv(io.argv)]);
  const onward = shellLine(['skeleton', ...shownArgv(command.onward ?? io.argv)]);
  const ci = await openCi(io, cwd, io.err);
  const output = openRunOutput({ json, quiet, verbose, planOption, again, onward }, io, ci);
  const { onEarlier, onProgress, onAgentOutput, onLine, onWarning } = output;
  const { onEvent, isEnded } = notingEnd(output.onEvent);
  try {
    const result = await runPlan(optionsOf(command), {
      onEvent,
      onEarlier,
      onProgress,
      onAgentOutput,
      onLine,
      ...(json && { onDryRun: (would) => print(io.out, jsonLine({ type: 'dry-run', ...would })) }),
      onWarning,
      ...(!quiet && { onAfterOutput: onAgentOutput }),
      signal: io.windDown(),
      env: io.env,
    });
    if (json && !dryRun && !isEnded()) print(io.out, nothingLine(result));
    return result.status;
  } finally {
    output.close();
  }
}

function optionsOf({
  cwd,
  plan,
  tasks,
  from,
  once,
  flags,
  dryRun,
  verbose,
}: RunCommand): RunOptions {
  return {
    cwd,
    tasks,
    flags,
    dryRun,
    verbose,
    ...(plan !== undefined && { planPath: plan }),
    ...(from !== undefined && { from }),
    ...(once !== undefined && { once }),
  };
}
function notingEnd(tell: RunOutput['onEvent']): {
  readonly onEvent: RunOutput['onEvent'];
  readonly isEnded: () => boolean;
} {
  let isEnded = false;
  return {
    onEvent: (recorded) => {
      isEnded ||= recorded.event.type === 'run.finished';
      tell(recorded);
    },
    isEnded: () => isEnded,
  };
}

/** For programs, in the place of the events of a run that did not begin. */
function nothingLine({ status, why = 'done' }: RunResult): string {
  return jsonLine({ type: 'nothing-to-do', status, why });
}
