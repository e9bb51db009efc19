import { drill as hold, drillKinds } from '../../src/index.ts';
import {
  drillEndLines,
  drillProgressLine,
  drillStartLine,
  trialLines,
} from '../../src/report/drill-lines.ts';
import { jsonLine } from '../../src/report/json.ts';
import { shellWord } from '../../src/report/shell-word.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';

export interface DrillCommand {
  readonly cwd: string;
  readonly names: readonly string[];
  readonly list: boolean;
  readonly json: boolean;
  readonly keep: boolean;
  readonly sample: number | undefined;
  readonly random: number;
}

/** Back to the line's start, and what was there away. */
const CLEAR = '\r\u001b[2K';

/** `skeleton drill`: the result on standard output, and of the kinds only those that did not hold; with --json each one. */
export async function drill(command: DrillCommand, io: Io): Promise<number> {
  if (command.list) return list(command, io);
  const { json, names, cwd, keep, random, sample } = command;
  const { style, isLive } = chooseLook(io.env, io.err.isTerminal);
  const clear = isLive ? CLEAR : '';
  let total = 0;
  const options = { cwd, names, keep, random, ...(sample !== undefined && { sample }) };
  const result = await hold(options, {
    onClone: (ownGates, count) => {
      total = count;
      print(io.err, drillStartLine(ownGates, count));
    },
    onTrial: (trial, done) => {
      if (json) print(io.out, jsonLine(trial));
      const lines = trialLines(trial, style).map((line) => `${line}\n`);
      io.err.write(clear + lines.join(''));
      if (isLive) io.err.write(drillProgressLine(done, total));
    },
    signal: io.windDown(),
    env: io.env,
  });
  io.err.write(clear);
  const { trials, ...summary } = result;
  if (json) print(io.out, jsonLine({ ...summary, trials: trials.length }));
  else print(io.out, drillEndLines(result, chooseLook(io.env, io.out.isTerminal).style).join('\n'));
  if (result.kept !== undefined) print(io.err, `kept: cd ${shellWord(result.kept)}`);
  return result.status;
}

async function list({ json }: DrillCommand, io: Io): Promise<number> {
  for (const kind of await drillKinds())
    print(io.out, json ? jsonLine(kind) : `${kind.group.padEnd(10)} ${kind.name}`);
  return 0;
}
