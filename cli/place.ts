import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { shellLine } from '../src/report/shell-word.ts';
import { ledgerWords } from './ledger-option.ts';
import { parseText } from './parsers.ts';

/** Where a command works, and on which plan. */
export interface Place {
  /** Absolute. */
  readonly cwd: string;
  /** As it was typed, relative to `cwd`. */
  readonly plan: string | undefined;
  /** Options that say the same to the next command, with a blank before; '' for none. */
  readonly planOption: string;
}

/** `-C DIR`, before the command and after it, as in git: the second is relative to the first. */
export function directoryOption(): Option {
  return new Option('-C <dir>', 'work as if started in this folder').argParser(parseText);
}

export function planOption(): Option {
  return new Option(
    '--plan <path>',
    'the plan (default: PLAN.md, else docs/PLAN.md, at the top of the work tree)',
  ).argParser(parseText);
}

interface PlaceOptions {
  readonly C?: string;
  readonly plan?: string;
}

/** Ends with a usage error where `-C` names no folder. */
export function placeOf(command: Command, cwd: string): Place {
  const { C: own, plan } = command.opts<PlaceOptions>();
  const asked = [command.parent?.opts<PlaceOptions>().C, own].filter((dir) => dir !== undefined);
  const folder = asked.reduce((before, dir) => resolve(before, dir), cwd);
  if (!isFolder(folder)) command.error(`error: -C ${asked.join(' -C ')}: there is no such folder`);
  const words = [
    ...(asked.length > 0 ? ['-C', join(...asked)] : []),
    ...(plan === undefined ? [] : ['--plan', plan]),
    ...ledgerWords(command),
  ];
  return { cwd: folder, plan, planOption: words.length > 0 ? ` ${shellLine(words)}` : '' };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
