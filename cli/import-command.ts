import { Option, type Command } from 'commander';
import { formats, type Format } from '../src/core/import/dialect.ts';
import { examples } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { directoryOption, placeOf } from './place.ts';

interface ImportFlags extends JsonFlag {
  readonly format?: Format;
  readonly tag?: string;
  readonly output?: string;
  readonly dryRun?: boolean;
}

const read = `
Reads:
  prd         prd.json of ralph and ralph-tui
  taskmaster  tasks.json, one tag of it
  beads       issues.jsonl, bd list --json
  github      gh issue list --json number,title,body,state,stateReason,labels,url | skeleton import -
  ralphex     plans with ### Task 1: headings
  fix-plan    fix_plan.md, and any other checklist
  spec-kit    tasks.md, checklists, spec.md, or their folder
  openspec    tasks.md, spec.md, or the folder of a change`;

export function addImport(program: Command, { io, finish }: Context): void {
  const command = importOptions(
    program
      .command('import')
      .description(
        "make PLAN.md from another tool's tasks: ids, states and needs are kept; say what became of each field; never overwrite",
      )
      .argument('<file>', 'the file, or the folder that holds it; -: standard input'),
  );
  command
    .addHelpText('after', read)
    .addHelpText(
      'after',
      examples(
        'skeleton import prd.json --dry-run',
        'skeleton import specs/001-albums --output plans/ALBUMS.md',
      ),
    )
    .action(async (file: string, flags: ImportFlags) => {
      if (file === '') command.error('error: the file is empty: name one, or - for standard input');
      const { cwd } = placeOf(command, io.cwd);
      const { json = false, dryRun = false, format, tag, output } = flags;
      const { importTasks } = await import('./commands/import.ts');
      finish(await importTasks({ cwd, file, format, tag, output, dryRun, json }, io));
    });
}

function importOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <name>', 'how to read it (default: found from the content)').choices(
        formats,
      ),
    )
    .option(
      '--tag <name>',
      "which of Taskmaster's tags (default: the only one, else master)",
      parseText,
    )
    .option(
      '--output <path>',
      'write this file (default: PLAN.md at the top, or the next free name)',
      parseText,
    )
    .option('--dry-run', 'show what would be written, write nothing')
    .option('--json', 'the same as data, one JSON object a line')
    .addOption(directoryOption());
}
