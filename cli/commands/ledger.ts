import { copyLedger } from '../../src/index.ts';
import type { LedgerCopied } from '../../src/index.ts';
import { oneLine } from '../../src/core/text.ts';
import { jsonLine } from '../../src/report/json.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';

export interface CopyCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly json: boolean;
  /** As they were typed. */
  readonly from: string;
  readonly to: string;
}

/** `skeleton ledger copy FROM TO`. Throws Refusal (2: no such ledger, 3: nothing could be copied, and nothing was). */
export async function copy({ cwd, json, from, to }: CopyCommand, io: Io): Promise<number> {
  const copied = await copyLedger({ cwd, env: io.env, from, to });
  print(io.out, json ? jsonLine(copied) : linesOf(copied).join('\n'));
  return 0;
}

function linesOf({ plans, from, to }: LedgerCopied): readonly string[] {
  const lines = plans.map(({ plan, copied, there }) => {
    const known =
      there === 0 ? '' : `; ${events(there)} ${there === 1 ? 'is' : 'are'} there already`;
    return `${oneLine(plan)}: ${copied === 0 ? 'nothing to do' : `${events(copied)} copied`}${known}`;
  });
  return [...lines, `from ${oneLine(from)} to ${oneLine(to)}`];
}

function events(count: number): string {
  return `${count} event${count === 1 ? '' : 's'}`;
}
