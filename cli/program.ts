import { Command } from 'commander';
import { ledgerVariable } from '../src/core/ledger-place.ts';
import { examples, historian, looker } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { addCompletion } from './completion-command.ts';
import { addDrill } from './drill-command.ts';
import { addImport } from './import-command.ts';
import { addInit } from './init-command.ts';
import type { Io } from './io.ts';
import { openSettling } from './ledger-option.ts';
import { refuseMisnamed } from './refuse-misnamed.ts';
import { addLedger } from './ledger-command.ts';
import { addLooking } from './looking.ts';
import { withoutSelection } from './onward.ts';
import { collectTask, parseText } from './parsers.ts';
import { directoryOption, placeOf } from './place.ts';
import { addPlan } from './plan-command.ts';
import { addPr } from './pr-command.ts';
import { addReport } from './report-command.ts';
import { addRunOptions, configOf } from './run-options.ts';
import type { RunFlags } from './run-options.ts';
import { addSteering } from './steering.ts';
import { addUi } from './ui-command.ts';
import { addUpkeep } from './upkeep.ts';
import { addWayBack } from './way-back.ts';

/**
 * Parses the arguments and carries out one command; gives its exit status. Throws CommanderError for wrong usage, and for
 * help and version (with status 0), after having written what there is to say; and whatever the command throws.
 */
export async function runProgram(given: Io, version: string): Promise<number> {
  let status = 0;
  const { io, settle } = openSettling(given);
  const program = buildProgram({
    io,
    version,
    finish: (result) => {
      status = result;
    },
  });
  program.hook('preAction', (_, command) => settle(command));
  refuseMisnamed(program, io.argv);
  await program.parseAsync(io.argv, { from: 'user' });
  return status;
}

/** Overriding the exit comes first: a command copies that at the moment it is made. */
function buildProgram(context: Context): Command {
  const { io, version } = context;
  const program = new Command('skeleton')
    .exitOverride()
    .configureOutput({ writeOut: io.out.write, writeErr: io.err.write })
    .enablePositionalOptions()
    .showHelpAfterError('(--help says more)')
    .description(
      'Works through PLAN.md: a coding agent does each task, your gates judge it, what passes is checkpointed in git, what does not is kept and rolled back.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addOption(directoryOption())
    .addHelpText('after', statuses);
  addRun(program, context);
  addDemo(program, context);
  addInit(program, context);
  addImport(program, context);
  addPlan(program, context);
  addCheck(program, context);
  addGate(program, context);
  addVerify(program, context);
  addTake(program, context);
  addLooking(program, context);
  addSteering(program, context);
  addReport(program, context);
  addUi(program, context);
  addPr(program, context);
  addWayBack(program, context);
  addDrill(program, context);
  addUpkeep(program, context);
  addLedger(program, context);
  addCompletion(program, context);
  return program;
}

const statuses = `
Exit status:
  0              passed, or nothing to do
  1              a task failed; its work is kept, the tree is at the last checkpoint
  2              usage, plan or configuration; nothing was touched
  3              environment not ready; nothing was touched
  4              stopped early, resumable: a limit, a gate error, no room
  70             a bug in skeleton
  129, 130, 143  interrupted, resumable`;

const together = `
Several machines share a plan's work where each calls this with the same --ledger and --remote, in a clone of its own:
  skeleton run --ledger postgres://skeleton@db.example.org/skeleton --remote origin
A password is better kept in ${ledgerVariable}, in your config.yml (ledger:, remote:), in PGPASSWORD or in ~/.pgpass: all users of a machine see what is typed.
--once: where a finished run has done the same (KEY; default: plan, tasks, tree and agent), nothing is done again, and its status is given.`;

function addRun(program: Command, { io, finish }: Context): void {
  const command = program
    .command('run')
    .description("work on the plan's pending tasks in order, or only on those named")
    .argument('[task...]', 'ids or numbers of tasks', collectTask)
    .addHelpText('after', together)
    .addHelpText('after', examples('skeleton run --agent claude', 'skeleton run --dry-run'));
  addRunOptions(command)
    .addOption(directoryOption())
    .action(async (tasks: readonly string[] | undefined, flags: RunFlags) => {
      const place = placeOf(command, io.cwd);
      const { run } = await import('./commands/run.ts');
      const { from, once, dryRun = false, json = false, quiet = false, verbose = false } = flags;
      const onward = withoutSelection(io.argv, tasks ?? [], command.options);
      const work = { tasks: tasks ?? [], from, once, flags: configOf(flags), dryRun, onward };
      finish(await run({ ...place, ...work, json, quiet, verbose }, io));
    });
}

function addDemo(program: Command, { io, finish }: Context): void {
  program
    .command('demo')
    .description(
      'show the whole loop on an example plan, in a throw-away repository; no network, no key',
    )
    .option('--keep', 'leave the repository there, to look around in it')
    .addOption(directoryOption())
    .addHelpText('after', examples('skeleton demo', 'skeleton demo --keep'))
    .action(async ({ keep = false }: { readonly keep?: boolean }) => {
      const { demo } = await import('./commands/demo.ts');
      finish(await demo({ keep }, io));
    });
}

function addCheck(program: Command, { io, finish }: Context): void {
  const command = looker(
    program,
    'check',
    'say how plan, gates and repository are read, and what is wrong; run nothing',
  );
  command
    .addHelpText('after', examples('skeleton check', 'skeleton check --plan docs/PLAN.md --json'))
    .action(async ({ json = false }: JsonFlag) => {
      const place = placeOf(command, io.cwd);
      const { check } = await import('./commands/check.ts');
      finish(await check({ ...place, json }, io));
    });
}

function addGate(program: Command, { io, finish }: Context): void {
  const command = looker(program, 'gate', 'run the gates on the work tree as it is; no agent');
  command
    .argument('[name...]', 'names of gates (default: all that judge every task)', collectTask)
    .addHelpText('after', examples('skeleton gate', 'skeleton gate tests.sh --json'))
    .action(async (names: readonly string[] | undefined, { json = false }: JsonFlag) => {
      const place = placeOf(command, io.cwd);
      const { gate } = await import('./commands/gate.ts');
      finish(await gate({ ...place, json, names: names ?? [] }, io));
    });
}

function addVerify(program: Command, { io, finish }: Context): void {
  const command = historian(
    program,
    'verify',
    'judge checkpoints again, by the gates of then, in a clean worktree; 1 where one does not hold, 3 where it cannot be told',
  );
  command
    .argument('[checkpoint...]', 'tags or numbers (default: those that HEAD contains)', collectTask)
    .addHelpText('after', examples('skeleton verify', 'skeleton verify skeleton/plan/0003-parse'))
    .action(async (names: readonly string[] | undefined, { json = false }: JsonFlag) => {
      const place = placeOf(command, io.cwd);
      const { verify } = await import('./commands/verify.ts');
      finish(await verify({ ...place, json, names: names ?? [] }, io));
    });
}

function addTake(program: Command, { io, finish }: Context): void {
  const command = historian(
    program,
    'take',
    "judge the work tree, as you have mended it, as the task's next attempt; green is a checkpoint, red leaves everything as it is",
  );
  command
    .argument('<task>', 'its id or number', parseText)
    .addHelpText('after', examples('skeleton take parser', 'skeleton take 3 --plan docs/PLAN.md'))
    .action(async (task: string, { json = false }: JsonFlag) => {
      const place = placeOf(command, io.cwd);
      const { take } = await import('./commands/take.ts');
      finish(await take({ ...place, json, task }, io));
    });
}
