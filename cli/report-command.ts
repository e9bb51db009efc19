import { extname } from 'node:path';
import { Option, type Command } from 'commander';
import { reportFormats, type ReportFormat } from '../src/report/report-format.ts';
import { examples, historian } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { placeOf } from './place.ts';

interface ReportFlags extends JsonFlag {
  readonly run?: string;
  readonly format?: ReportFormat;
  readonly output?: string;
}

export function addReport(program: Command, { io, finish }: Context): void {
  const command: Command = historian(
    program,
    'report',
    'write a report of a run, also of one that goes on',
  );
  command
    .option('--run <id>', 'which run (default: the last)', parseText)
    .addOption(
      new Option(
        '--format <name>',
        "how (default: by the file's extension, else markdown)",
      ).choices(reportFormats),
    )
    .option(
      '--output <file>',
      'into this file, in place of an earlier report (default, and -: standard output)',
    )
    .addHelpText(
      'after',
      examples(
        'skeleton report --output report.html',
        'skeleton report --format junit > junit.xml',
      ),
    )
    .action(async (flags: ReportFlags) => {
      const place = placeOf(command, io.cwd);
      const { json = false, run, output } = flags;
      if (output === '') command.error('error: --output is empty');
      const file = output === '-' || output === '/dev/stdout' ? undefined : output;
      const format = chosenFormat(flags, file);
      if (typeof format === 'object') command.error(`error: ${format.problem}`);
      const { report } = await import('./commands/report.ts');
      finish(await report({ ...place, json, run, format, file }, io));
    });
}

function chosenFormat(
  { json = false, format }: ReportFlags,
  file: string | undefined,
): ReportFormat | { readonly problem: string } {
  if (json && (format ?? 'json') !== 'json')
    return { problem: `--json and --format ${format ?? ''} contradict each other` };
  const chosen = json ? 'json' : (format ?? formatOf(file));
  const mend = `add --format ${reportFormats.join('|')}`;
  return chosen ?? { problem: `--output ${file ?? ''}: its extension names no format; ${mend}` };
}

const extensions: Readonly<Record<string, ReportFormat>> = {
  '.html': 'html',
  '.htm': 'html',
  '.xml': 'junit',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.json': 'json',
};

function formatOf(file: string | undefined): ReportFormat | undefined {
  return file === undefined ? 'markdown' : extensions[extname(file).toLowerCase()];
}
