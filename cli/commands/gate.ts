import { runGates } from '../../src/index.ts';
import type { GateCheck } from '../../src/index.ts';
import type { GateResult } from '../../src/core/events.ts';
import { renderGateSummary } from '../../src/report/ci/check-summary.ts';
import { gateEndLine, gateLines } from '../../src/report/gate-lines.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { openCi } from '../ci.ts';
import type { Ci } from '../ci.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface GateCommand extends LookCommand {
  readonly names: readonly string[];
}

/**
 * `skeleton gate`: each gate's verdict as it comes, with the lines that matter; or all of it as one JSON object. In a CI job
 * also to the job's page, of which with --json only standard error may speak.
 */
export async function gate(command: GateCommand, io: Io): Promise<number> {
  const { cwd, plan, json, names } = command;
  const { style } = chooseLook(io.env, io.out.isTerminal);
  const options = { cwd, names, ...(plan !== undefined && { planPath: plan }) };
  const ci = await openCi(io, cwd, json ? io.err : io.out);
  const check = await runGates(options, {
    onStart: () => undefined,
    onResult: (result) => {
      if (!json) ci?.fold(result);
      if (!json) print(io.out, gateLines(result, style).join('\n'));
      if (isRed(result)) ci?.annotate(ci.findings(result));
    },
    signal: io.windDown(),
    env: io.env,
  });
  print(io.out, json ? jsonLine(check) : gateEndLine(check, style));
  if (ci !== undefined) tellCi(check, ci);
  return check.status;
}

function tellCi(check: GateCheck, ci: Ci): void {
  ci.summarise(renderGateSummary(check));
  const passed = check.gates.filter(({ verdict }) => verdict === 'pass').length;
  const failed = check.gates.filter(isRed).length;
  ci.give({ passed: String(passed), failed: String(failed) });
}

/** A gate that could not judge is none: it says nothing of the tree. */
function isRed({ verdict, soft }: GateResult): boolean {
  return !soft && (verdict === 'fail' || verdict === 'timeout');
}
