import type { Command } from 'commander';
import { examples } from './command-parts.ts';
import type { Context } from './command-parts.ts';
import { collectTask, parseCount } from './parsers.ts';
import { directoryOption, placeOf } from './place.ts';

interface DrillFlags {
  readonly list?: boolean;
  readonly json?: boolean;
  readonly keep?: boolean;
  readonly sample?: number;
  readonly random?: number;
}

export function addDrill(program: Command, { io, finish }: Context): void {
  const command = program
    .command('drill')
    .description(
      'prove it on a clone of your repository: damage, forged passes, kill -9; what was restored, what was not',
    )
    .argument('[kind...]', 'names of kinds, or of a group (default: all)', collectTask)
    .option('--list', 'print the kinds, do nothing')
    .option('--sample <n>', 'only so many of the kinds, evenly spread', parseCount())
    .option('--random <n>', 'so many attempts of misdeeds drawn by chance besides', parseCount())
    .option('--keep', 'leave the clone, and each copy in which something did not hold')
    .option('--json', 'the same as data, one JSON object a line')
    .addOption(directoryOption());
  command
    .addHelpText('after', examples('skeleton drill', "skeleton drill forgery 'a FIFO' --keep"))
    .action(async (names: readonly string[] | undefined, flags: DrillFlags) => {
      const { cwd } = placeOf(command, io.cwd);
      const { list = false, json = false, keep = false, sample, random = 0 } = flags;
      const { drill } = await import('./commands/drill.ts');
      finish(await drill({ cwd, names: names ?? [], list, json, keep, sample, random }, io));
    });
}
