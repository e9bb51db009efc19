import { verifyCheckpoints } from '../../src/index.ts';
import type { Verification } from '../../src/index.ts';
import type { Annotation } from '../../src/report/ci/annotations.ts';
import { renderVerifySummary } from '../../src/report/ci/check-summary.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { verifiedLines, verifyEndLine } from '../../src/report/verify-lines.ts';
import { openCi } from '../ci.ts';
import type { Ci } from '../ci.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface VerifyCommand extends LookCommand {
  readonly names: readonly string[];
}

/**
 * `skeleton verify`: one checkpoint after the other, as it is known; with --json one object each. In a CI job also to the
 * job's page, of which with --json only standard error may speak.
 */
export async function verify(command: VerifyCommand, io: Io): Promise<number> {
  const { cwd, plan, json, names } = command;
  const { style } = chooseLook(io.env, io.out.isTerminal);
  const options = { cwd, names, ...(plan !== undefined && { planPath: plan }) };
  const ci = await openCi(io, cwd, json ? io.err : io.out);
  const { status, checkpoints } = await verifyCheckpoints(options, {
    onCheckpoint: (verified) => {
      if (!json) for (const one of verified.gates) ci?.fold(one, verified.checkpoint);
      print(io.out, json ? jsonLine(verified) : verifiedLines(verified, style).join('\n'));
      if (verified.outcome === 'differs') ci?.annotate(errorsOf(verified, ci));
    },
    signal: io.windDown(),
    env: io.env,
  });
  if (!json) print(io.out, verifyEndLine(checkpoints, status, style));
  if (ci !== undefined) tellCi(checkpoints, status, ci);
  return status;
}

function errorsOf({ checkpoint, reasons, gates }: Verification, ci: Ci): readonly Annotation[] {
  const red = gates.filter(({ verdict, soft }) => !soft && ['fail', 'timeout'].includes(verdict));
  const message = reasons.join('; ') || 'does not hold';
  return [
    { severity: 'error', title: checkpoint, message },
    ...red.flatMap((gate) => ci.findings(gate)),
  ];
}

function tellCi(checkpoints: readonly Verification[], status: number, ci: Ci): void {
  ci.summarise(renderVerifySummary(checkpoints, status));
  const held = checkpoints.filter(({ outcome }) => outcome === 'holds');
  ci.give({
    passed: String(held.length),
    failed: String(checkpoints.length - held.length),
    'last-checkpoint': held.at(-1)?.checkpoint ?? '',
  });
}
