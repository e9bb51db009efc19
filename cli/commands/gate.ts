import { runGates } from '../../src/index.ts';
import { gateEndLine, gateLines } from '../../src/report/gate-lines.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface GateCommand extends LookCommand {
  readonly names: readonly string[];
}

/** `skeleton gate`: each gate's verdict as it comes, with the lines that matter; or all of it as one JSON object. */
export async function gate(command: GateCommand, io: Io): Promise<number> {
  const { cwd, plan, json, names } = command;
  const { style } = chooseLook(io.env, io.out.isTerminal);
  const options = { cwd, names, ...(plan !== undefined && { planPath: plan }) };
  const check = await runGates(options, {
    onStart: () => undefined,
    onResult: (result) => {
      if (!json) print(io.out, gateLines(result, style).join('\n'));
    },
    signal: io.windDown(),
    env: io.env,
  });
  print(io.out, json ? jsonLine(check) : gateEndLine(check, style));
  return check.status;
}
