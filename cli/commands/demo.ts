import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { assertTemporary, openScratchRepository, packageRoot } from '../../src/compose.ts';
import type { ScratchRepository } from '../../src/compose.ts';
import { ledgerVariable } from '../../src/core/ledger-place.ts';
import { shellWord } from '../../src/report/shell-word.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { log } from './log.ts';
import { run } from './run.ts';
import { show } from './show.ts';
import { status } from './status.ts';

export interface DemoCommand {
  /** Leave the repository where it is. */
  readonly keep: boolean;
}

/**
 * `skeleton demo`: carries the shipped PLAN.md.example out in a repository of its own, with a scripted agent and real gates,
 * then shows the commands to look around with what they print. Gives the run's exit status.
 */
export async function demo({ keep }: DemoCommand, io: Io): Promise<number> {
  assertTemporary(3);
  const folder = await mkdtemp(join(tmpdir(), 'skeleton-demo-'));
  try {
    const repository = await furnish(folder);
    print(io.err, `A repository to play in: ${folder}\n`);
    const ended = await work(folder, io);
    if (ended === 0) await lookAround(repository, io);
    return ended;
  } finally {
    if (keep) print(io.err, `\nThe repository is still there: cd ${shellWord(folder)}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

/** The project, its plan and its gates, as a person would have committed them. */
async function furnish(folder: string): Promise<ScratchRepository> {
  const demoFolder = join(packageRoot, 'templates', 'demo');
  await cp(join(demoFolder, 'project'), folder, { recursive: true });
  await cp(join(demoFolder, 'gates'), join(folder, 'gates'), { recursive: true });
  // Packing and unpacking a package may lose the permission.
  for (const gate of await readdir(join(folder, 'gates')))
    await chmod(join(folder, 'gates', gate), 0o755);
  await writeFile(join(folder, 'PLAN.md'), await readFile(join(packageRoot, 'PLAN.md.example')));
  return openScratchRepository(folder);
}

async function work(folder: string, io: Io): Promise<number> {
  const agent = join(packageRoot, 'templates', 'demo', 'agent.sh');
  const agentCommand = `sh ${shellWord(agent)}`;
  const command = {
    ...placeIn(folder),
    tasks: [],
    from: undefined,
    flags: { agentCommand },
    dryRun: false,
    quiet: false,
    verbose: false,
  };
  return run(command, { ...io, env: ownEnvironment(folder, io.env) });
}

/** Agent and gates call `node`: where PATH has none, the one that runs this. The user's configuration is not asked. */
function ownEnvironment(folder: string, env: Io['env']): Io['env'] {
  return {
    ...env,
    PATH: [env['PATH'] ?? '', dirname(process.execPath)].join(delimiter),
    XDG_CONFIG_HOME: join(folder, '.git', 'no-configuration'),
    [ledgerVariable]: 'local',
  };
}

interface DemoPlace {
  readonly cwd: string;
  readonly plan: undefined;
  readonly planOption: string;
  readonly json: false;
}

function placeIn(cwd: string): DemoPlace {
  return { cwd, plan: undefined, planOption: '', json: false };
}

async function lookAround(repository: ScratchRepository, io: Io): Promise<void> {
  const { style } = chooseLook(io.env, io.out.isTerminal);
  const title = (command: string): void => {
    print(io.out, `\n${style.strong(`$ ${command}`)}`);
  };
  const place = placeIn(repository.folder);
  title('git log --oneline --decorate');
  print(io.out, await repository.log());
  title('skeleton status');
  await status({ ...place, failed: false }, io);
  title('skeleton log');
  await log(place, io);
  title('skeleton show top#1');
  await show({ ...place, attempt: 'top#1' }, io);
}
