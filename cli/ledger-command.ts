import { Argument, type Command } from 'commander';
import { examples } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { directoryOption, placeOf } from './place.ts';

const which = `
A ledger is one of
  local                         this repository's own, .git/skeleton/ledger.db (sqlite means the same)
  shared                        the one of SKELETON_LEDGER or of ledger: in your config.yml
  postgres://USER@HOST/DATABASE (a password is better in PGPASSWORD or ~/.pgpass than here)
  a path                        of another clone's ledger.db
Plans, events, checkpoint numbers and verdicts of this repository are copied, all or nothing. Where the plan has history already,
the same history is left alone, and one that has gone on is carried on; two that differ are refused.`;

export function addLedger(program: Command, { io, finish }: Context): void {
  const command = program
    .command('ledger')
    .description('copy the history into a ledger that machines share, or back from it')
    .addArgument(new Argument('<action>', 'what to do').choices(['copy']))
    .argument('<from>', 'the ledger to read', parseText)
    .argument('<to>', 'the ledger to add to', parseText)
    .option('--json', 'the same as data, one JSON object a line')
    .addOption(directoryOption());
  command
    .addHelpText('after', which)
    .addHelpText(
      'after',
      examples(
        'skeleton ledger copy local postgres://me@db.example.com/skeleton',
        'skeleton ledger copy shared local --json',
      ),
    )
    .action(async (_action: 'copy', from: string, to: string, { json = false }: JsonFlag) => {
      const { cwd } = placeOf(command, io.cwd);
      const { copy } = await import('./commands/ledger.ts');
      finish(await copy({ cwd, json, from, to }, io));
    });
}
