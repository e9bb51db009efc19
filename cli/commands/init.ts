import { init as prepare } from '../../src/index.ts';
import { initData, renderInit } from '../../src/report/init.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';

export interface InitCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly agent: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** `skeleton init`: 0 once everything is there, whoever wrote it. */
export async function init(command: InitCommand, io: Io): Promise<number> {
  const { cwd, agent, dryRun, json } = command;
  const facts = await prepare({ cwd, env: io.env, dryRun, ...(agent !== undefined && { agent }) });
  const { style } = chooseLook(io.env, io.out.isTerminal);
  print(io.out, json ? jsonLine(initData(facts)) : renderInit(facts, style));
  return 0;
}
