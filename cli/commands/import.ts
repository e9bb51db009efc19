import type { Format } from '../../src/core/import/dialect.ts';
import { importPlan } from '../../src/index.ts';
import { importData, renderImport } from '../../src/report/import.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';

export interface ImportCommand {
  /** Absolute. */
  readonly cwd: string;
  /** `-`: standard input. */
  readonly file: string;
  readonly format: Format | undefined;
  readonly tag: string | undefined;
  readonly output: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** `skeleton import`: 0 once the plan lies there, and our own parser has read it back. */
export async function importTasks(command: ImportCommand, io: Io): Promise<number> {
  const { cwd, file, format, tag, output, dryRun, json } = command;
  const facts = await importPlan({
    ...{ cwd, env: io.env, dryRun },
    source: file === '-' ? { name: 'standard input', stream: process.stdin } : file,
    ...(format !== undefined && { format }),
    ...(tag !== undefined && { tag }),
    ...(output !== undefined && { output }),
  });
  const { style } = chooseLook(io.env, io.out.isTerminal);
  print(io.out, json ? jsonLine(importData(facts)) : renderImport(facts, style));
  return 0;
}
