import type { Command } from 'commander';
import { examples } from './command-parts.ts';
import type { Context } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { directoryOption, placeOf } from './place.ts';

interface InitFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly agent?: string;
}

export function addInit(program: Command, { io, finish }: Context): void {
  const command = program
    .command('init')
    .description(
      'write PLAN.md, gates for what the project is built with, and a workflow of CI; what is there is kept',
    )
    .option('--dry-run', 'show what would be written, write nothing')
    .option('--json', 'the same as data, one JSON object a line')
    .addOption(directoryOption());
  command
    .option('--agent <name>', 'who is to work on the plan', parseText)
    .addHelpText('after', examples('skeleton init', 'skeleton init --agent claude --dry-run'))
    .action(async ({ dryRun = false, json = false, agent }: InitFlags) => {
      const { cwd } = placeOf(command, io.cwd);
      const { init } = await import('./commands/init.ts');
      finish(await init({ cwd, agent, dryRun, json }, io));
    });
}
