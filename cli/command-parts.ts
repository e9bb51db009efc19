import type { Command } from 'commander';
import type { Io } from './io.ts';
import { ledgerOption } from './ledger-option.ts';
import { directoryOption, planOption } from './place.ts';

/** What a command is built with. */
export interface Context {
  readonly io: Io;
  readonly version: string;
  readonly finish: (status: number) => void;
}

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

export interface JsonFlag {
  readonly json?: boolean;
}

/** As `looker`, of a command that reads or writes the plan's history. */
export function historian(program: Command, name: string, description: string): Command {
  return looker(program, name, description).addOption(ledgerOption());
}

/** A command about a plan, with its result as data where that is asked for. */
export function looker(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(planOption())
    .option('--json', 'the same as data, one JSON object a line')
    .addOption(directoryOption());
}
