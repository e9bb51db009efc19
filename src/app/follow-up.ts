import { openNotifier } from '../compose.ts';
import type { Config } from '../core/config.ts';
import { maskDetails, maskReport } from '../core/mask-report.ts';
import { openMask } from '../core/mask.ts';
import { secretsIn } from '../core/secrets.ts';
import { oneLine } from '../core/text.ts';
import { jsonLine } from '../report/json.ts';
import { reportData } from '../report/report-json.ts';
import type { RunResult } from './carry-out.ts';
import { readReport } from './read-report.ts';
import type { RunIo, RunOptions } from './run-base.ts';
import { endOfError } from './turn.ts';

/** Milliseconds that each of the commands may take. */
const LIMIT = 10 * 60_000;

/** A run that has begun: what its files say, before any agent worked on them. */
interface Begun {
  /** Absolute. */
  readonly top: string;
  readonly plan: string;
  readonly config: Config;
}

type Work = (io: RunIo, note: (begun: Begun) => void) => Promise<RunResult>;

/**
 * Does a run, and then what `on_success` or `on_failure` names (docs/after-a-run.md). Nothing of that changes the result: what
 * goes wrong with it is a warning. A run that was interrupted, that did not start, or that had nothing to do is followed by nothing.
 */
export async function followed(options: RunOptions, io: RunIo, work: Work): Promise<RunResult> {
  let begun: Begun | undefined;
  let run: string | undefined;
  const onEvent: RunIo['onEvent'] = (recorded) => {
    if (recorded.event.type === 'run.started') run = recorded.run;
    io.onEvent(recorded);
  };
  const follow = async (status: number | undefined): Promise<void> => {
    if (begun === undefined || run === undefined || options.dryRun) return;
    const commands = commandsFor(status, begun.config);
    if (commands.length === 0 || io.signal.aborted) return;
    await carryOutAll(commands, { ...begun, run, status: status ?? 0 }, { options, io });
  };
  const note = (one: Begun): void => {
    begun = one;
  };
  let result: RunResult;
  try {
    result = await work({ ...io, onEvent }, note);
  } catch (error) {
    await follow(endOfError(error, io.signal).status);
    throw error;
  }
  await follow(result.status);
  return result;
}

function commandsFor(status: number | undefined, config: Config): readonly string[] {
  if (status === 0) return config.onSuccess ?? [];
  return status === 1 || status === 4 ? (config.onFailure ?? []) : [];
}

interface Ended extends Begun {
  readonly run: string;
  readonly status: number;
}

/** One after the other, each whatever became of the one before. Never rejects. */
async function carryOutAll(
  commands: readonly string[],
  { top, plan, run, status }: Ended,
  { options, io }: { readonly options: RunOptions; readonly io: RunIo },
): Promise<void> {
  const key = status === 0 ? 'on_success' : 'on_failure';
  const warn = (what: string): void => io.onWarning?.(oneLine(`${key}: ${what}`));
  try {
    const about = { run, plan, status, sink: io.onAfterOutput };
    const input = await reportText(options, io, run);
    const notifier = await openNotifier(top, io.env);
    for (const command of commands) {
      if (io.signal.aborted) break;
      const delivery = { limitMs: LIMIT, signal: io.signal };
      const wrong = await notifier.follow(command, { ...about, input }, delivery);
      if (wrong !== undefined) warn(`${wrong} (${command})`);
    }
  } catch (error) {
    warn(`nothing was run: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** As `skeleton report --format json` prints it. */
async function reportText(options: RunOptions, io: RunIo, run: string): Promise<string> {
  const { cwd, planPath } = options;
  const place = { cwd, env: io.env, ...(planPath !== undefined && { planPath }) };
  const { report, details } = await readReport({ ...place, run, texts: 'none' });
  const mask = openMask(secretsIn(io.env));
  return `${jsonLine(reportData(maskReport(report, mask), maskDetails(details, mask)))}\n`;
}
