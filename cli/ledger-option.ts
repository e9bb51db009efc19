import { Option, type Command } from 'commander';
import { ledgerPlace, ledgerVariable } from '../src/core/ledger-place.ts';
import type { Io } from './io.ts';
import { parseText } from './parsers.ts';

/** `--ledger URL`. What it may be is said where it is read: commander repeats a wrong value, password and all. */
export function ledgerOption(): Option {
  return new Option(
    '--ledger <url>',
    `where the history is that machines share: postgres://…, or local (default: $${ledgerVariable}, your config.yml, this repository)`,
  ).argParser(parseText);
}

export function remoteOption(): Option {
  return new Option(
    '--remote <name>',
    'the git remote by which code travels between machines that share a ledger (default: of your config.yml)',
  ).argParser(parseText);
}

interface LedgerFlag {
  readonly ledger?: string;
}

/** An `--ledger` as the next command can be given it: without its password, which the server then asks for elsewhere (PGPASSWORD, .pgpass). */
export function ledgerWords(command: Command): readonly string[] {
  const { ledger } = command.opts<LedgerFlag>();
  return ledger === undefined ? [] : ['--ledger', shownValue(ledger)];
}

function shownValue(value: string): string {
  const place = ledgerPlace(value);
  return place.kind === 'shared' ? place.shown : place.kind === 'local' ? 'local' : '…';
}

/** What was typed, for people: without the password of a ledger. */
export function shownArgv(argv: readonly string[]): readonly string[] {
  return argv.map((word, at) => {
    if (argv[at - 1] === '--ledger') return shownValue(word);
    const value = /^--ledger=(.*)$/s.exec(word)?.[1];
    return value === undefined ? word : `--ledger=${shownValue(value)}`;
  });
}

interface Settling {
  /** The process with an environment that says where the ledger is, as soon as a command begins. */
  readonly io: Io;
  readonly settle: (command: Command) => Promise<void>;
}

/** A flag beats SKELETON_LEDGER, which beats the user's own file; what came of it stands in the environment. */
export function openSettling(given: Io): Settling {
  let { env } = given;
  return {
    io: Object.defineProperty({ ...given }, 'env', { get: () => env, enumerable: true }),
    settle: async (command) => {
      if (!command.options.some(({ long }) => long === '--ledger')) return;
      const { ledger } = command.opts<LedgerFlag>();
      const { settleLedger } = await import('../src/compose.ts');
      const said = ledger === undefined ? env : { ...env, [ledgerVariable]: ledger };
      env = await settleLedger(said);
      given.conceal(env);
    },
  };
}
