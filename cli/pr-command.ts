import type { Command } from 'commander';
import { examples, looker } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { placeOf } from './place.ts';

interface PrFlags extends JsonFlag {
  readonly base?: string;
  readonly remote?: string;
  readonly title?: string;
  readonly draft?: boolean;
  readonly tags?: boolean;
}

const whatHappens = `
An open one of this branch gets the new text instead. Nothing is forced, and the default branch is never pushed.
Without gh or glab nothing is pushed: it prints the commands to run, and ends with 3.`;

export function addPr(program: Command, { io, finish }: Context): void {
  const command: Command = looker(
    program,
    'pr',
    'push the branch and open a pull request with the report as its text, through gh or glab',
  );
  command
    .option('--draft', 'open it as a draft')
    .option('--base <branch>', "merge into this branch (default: the remote's default)", parseText)
    .option(
      '--remote <name>',
      'push there (default: where the branch goes, else origin)',
      parseText,
    )
    .option('--title <text>', "its title (default: the plan's first heading)", parseText)
    .option('--tags', 'push the checkpoints and their proofs too')
    .addHelpText('after', whatHappens)
    .addHelpText('after', examples('skeleton pr', 'skeleton pr --draft --base develop --tags'))
    .action(async (flags: PrFlags) => {
      const place = placeOf(command, io.cwd);
      const { pr } = await import('./commands/pr.ts');
      const { json = false, draft = false, tags = false, base, remote, title } = flags;
      finish(await pr({ ...place, json, draft, tags, base, remote, title }, io));
    });
}
