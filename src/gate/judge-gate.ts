import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { GateResult } from '../core/events.ts';
import { excerpt } from '../core/text.ts';
import { assertAllEnded } from '../exec/assert-all-ended.ts';
import { runStep, type StepResult, type StepSpec } from '../exec/run-step.ts';
import type { Gate } from '../ports.ts';
import type { Found } from './find-gates.ts';
import { gateEnd, type GateEnd } from './gate-end.ts';

/** What every gate of a run shares. */
export interface Bench extends Omit<StepSpec, 'command' | 'timeoutMs' | 'logPath'> {
  /** Absolute; results name their logs relative to it. */
  readonly stateFolder: string;
}

const mostShown = { lines: 40, bytes: 4096 };

/**
 * Runs one gate, again while it says that it cannot judge, at most `retries` more times. Undefined where the run's signal
 * cut it off. Throws what `runStep` and `assertAllEnded` throw.
 */
export async function judgeGate(
  { gate, step }: Found,
  logPath: string,
  bench: Bench,
): Promise<GateResult | undefined> {
  let seconds = 0;
  for (let tries = 0; ; tries += 1) {
    const { stateFolder, ...rest } = bench;
    const result = await runStep({ ...rest, command: step, timeoutMs: gate.timeout, logPath });
    assertAllEnded(result.leftovers);
    const end = gateEnd(result.end);
    if (end === undefined) return undefined;
    seconds += result.durationMs / 1000;
    if (end.verdict !== 'error' || tries >= gate.retries) {
      return resultOf(gate, end, {
        seconds: Math.round(seconds * 1000) / 1000,
        digest: `sha256:${result.digest}`,
        tail: tailOf(result),
        log: relative(stateFolder, logPath),
      });
    }
  }
}

/** Of a gate that did not run, and so has said nothing. */
export function unrun(gate: Gate, end: Pick<GateEnd, 'verdict' | 'ended'>, tail = ''): GateResult {
  const digest = `sha256:${createHash('sha256').digest('hex')}`;
  return resultOf(gate, { ...end, exit: null }, { seconds: 0, digest, tail, log: '' });
}

function resultOf(
  { name, command, soft }: Gate,
  end: GateEnd,
  output: Pick<GateResult, 'seconds' | 'digest' | 'tail' | 'log'>,
): GateResult {
  return { name, command, soft, ...end, ...output };
}

/** A gate that could not be started has printed nothing: why is what matters then. */
function tailOf({ end, head, tail }: StepResult): string {
  return 'message' in end
    ? excerpt(end.message, end.message, mostShown)
    : excerpt(head, tail, mostShown);
}
