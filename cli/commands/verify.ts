import { verifyCheckpoints } from '../../src/index.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { verifiedLines, verifyEndLine } from '../../src/report/verify-lines.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface VerifyCommand extends LookCommand {
  readonly names: readonly string[];
}

/** `skeleton verify`: one checkpoint after the other, as it is known; with --json one object each. */
export async function verify(command: VerifyCommand, io: Io): Promise<number> {
  const { cwd, plan, json, names } = command;
  const { style } = chooseLook(io.env, io.out.isTerminal);
  const options = { cwd, names, ...(plan !== undefined && { planPath: plan }) };
  const { status, checkpoints } = await verifyCheckpoints(options, {
    onCheckpoint: (one) => {
      print(io.out, json ? jsonLine(one) : verifiedLines(one, style).join('\n'));
    },
    signal: io.windDown(),
    env: io.env,
  });
  if (!json) print(io.out, verifyEndLine(checkpoints, status, style));
  return status;
}
