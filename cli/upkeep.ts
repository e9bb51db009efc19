import type { Command } from 'commander';
import { examples } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { ledgerOption, remoteOption } from './ledger-option.ts';
import { directoryOption, placeOf } from './place.ts';

/** Commands about what we keep in a repository, and what we need of a machine. */
export function addUpkeep(program: Command, context: Context): void {
  addDoctor(program, context);
  addGc(program, context);
}

interface DoctorFlags extends JsonFlag {
  readonly remote?: string;
}

function addDoctor(program: Command, { io, finish }: Context): void {
  const command = program
    .command('doctor')
    .description(
      'say what is installed, how the repository stands, and what of ours weighs how much; change nothing',
    )
    .option('--json', 'the same as data, one JSON object a line')
    .addOption(ledgerOption())
    .addOption(remoteOption())
    .addOption(directoryOption())
    .addHelpText('after', examples('skeleton doctor', 'skeleton doctor --remote origin --json'))
    .action(async ({ json = false, remote }: DoctorFlags) => {
      const { cwd } = placeOf(command, io.cwd);
      const { doctor } = await import('./commands/doctor.ts');
      finish(await doctor({ cwd, json, remote }, io));
    });
}

interface GcFlags extends JsonFlag {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const whatStays = `
Kept: what is younger than 30 days or of the last 20 runs; every kept attempt of a task that is neither passed nor ticked; checkpoints,
proofs, the history; work of yours that is set aside; everything of a run that goes. Objects of deleted refs are git's to free (git gc).
--all leaves tags and branches, and a worktree of isolated runs that holds files of its own.`;

function addGc(program: Command, { io, finish }: Context): void {
  const command = program
    .command('gc')
    .description("take away old runs' logs, kept attempts and other leavings, and list them")
    .option('--dry-run', 'only list what would go')
    .option('--all', 'take everything of ours out of this repository, as for uninstalling')
    .option('--yes', 'do not ask before --all')
    .option('--json', 'the same as data, one JSON object a line')
    .addOption(ledgerOption())
    .addOption(directoryOption())
    .addHelpText('after', whatStays)
    .addHelpText('after', examples('skeleton gc --dry-run', 'skeleton gc --all --yes'))
    .action(async ({ json = false, all = false, dryRun = false, yes = false }: GcFlags) => {
      const { cwd } = placeOf(command, io.cwd);
      const { gc } = await import('./commands/gc.ts');
      finish(await gc({ cwd, json, all, dryRun, yes }, io));
    });
}
