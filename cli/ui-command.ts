import { InvalidArgumentError, type Command } from 'commander';
import { examples } from './command-parts.ts';
import type { Context } from './command-parts.ts';
import { ledgerOption } from './ledger-option.ts';
import { parseText } from './parsers.ts';
import { directoryOption, placeOf, planOption } from './place.ts';

interface UiFlags {
  readonly run?: string;
  readonly port?: number;
}

export function addUi(program: Command, { io, finish }: Context): void {
  const command = program
    .command('ui')
    .description(
      'show a run in the browser while it goes on, at a local address that is printed; Ctrl-C ends it',
    )
    .addOption(planOption())
    .option(
      '--run <id>',
      'which run (default: the last, also one that begins meanwhile)',
      parseText,
    )
    .option('--port <n>', 'on this port of 127.0.0.1 (default: any that is free)', parsePort)
    .addOption(ledgerOption())
    .addOption(directoryOption())
    .addHelpText('after', examples('skeleton ui', 'skeleton ui --port 4000'));
  command.action(async ({ run, port = 0 }: UiFlags) => {
    const place = placeOf(command, io.cwd);
    const { ui } = await import('./commands/ui.ts');
    finish(await ui({ ...place, run, port }, io));
  });
}

function parsePort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535)
    throw new InvalidArgumentError('It has to be a whole number from 1 to 65535.');
  return port;
}
