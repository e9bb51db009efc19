import type { Argument, Command, Option } from 'commander';

/** What can stand in a place of a command line. `text`: what no shell can know. */
export type Value =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'task' | 'text' };

export interface CompletedOption {
  /** `-C`, `--json`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for one that takes none. */
  readonly value: Value | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** What each word is that is no option. */
  readonly argument: Value;
}

/** What a shell has to know of a program: its commands, and the options that stand before them. */
export interface CompletionTree {
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
}

export function completionTree(program: Command): CompletionTree {
  const names = program.commands.map((command) => command.name());
  return {
    options: optionsOf(program),
    commands: [
      ...program.commands.map((command) => ({
        name: command.name(),
        description: command.description(),
        options: optionsOf(command),
        argument: argumentOf(command.registeredArguments[0]),
      })),
      {
        name: 'help',
        description: 'print the help of a command',
        options: [],
        argument: { kind: 'words', words: names },
      },
    ],
  };
}

function optionsOf(command: Command): readonly CompletedOption[] {
  return command.createHelp().visibleOptions(command).map(optionOf);
}

function optionOf(option: Option): CompletedOption {
  const { short, long, description, argChoices } = option;
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    value: option.isBoolean() || option.negate ? undefined : valueOf(option.flags, argChoices),
  };
}

function argumentOf(argument: Argument | undefined): Value {
  return argument === undefined
    ? { kind: 'text' }
    : valueOf(`<${argument.name()}>`, argument.argChoices);
}

const kinds = { path: 'file', file: 'file', dir: 'folder', task: 'task' } as const;

/** By the name that the help gives it: `--plan <path>`, `<task[#N]>`. */
function valueOf(usage: string, choices: readonly string[] | undefined): Value {
  if (choices !== undefined) return { kind: 'words', words: choices };
  const name = /[<[](\w+)/.exec(usage)?.[1] ?? '';
  return { kind: Object.hasOwn(kinds, name) ? kinds[name as keyof typeof kinds] : 'text' };
}
