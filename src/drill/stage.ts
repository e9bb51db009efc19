import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { endProcesses } from '../exec/end-processes.ts';
import { deadFolders, makeOwnFolder } from '../exec/own-folders.ts';
import { runCommand } from '../exec/run-command.ts';
import type { CommandResult } from '../exec/run-command.ts';
import { furnish } from './furnish.ts';
import { controlVariable } from './orders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a drill takes place: a folder of its own, and the built command. */
export interface StagePlan {
  /** Top of the user's work tree; only read. */
  readonly source: string;
  readonly temporary: string;
  readonly env: Environment;
  /** Marks every process of the drill. */
  readonly token: string;
  /** Absolute: the built command, and the vandal beside it. */
  readonly command: string;
  readonly vandal: string;
  readonly signal: AbortSignal;
  /** It is to stay when the drill is over. */
  readonly keep: boolean;
}

export interface Stage extends StagePlan {
  /** Absolute; everything that the drill writes is below it. */
  readonly root: string;
  /** A furnished clone that no vandal gets to see: each gets a copy. */
  readonly pristine: string;
  /** Commands at the same time. */
  readonly lanes: number;
}

/** A place for one attempt: a folder with a home and a temporary folder beside the clone, and one that the vandal is not told of. */
export interface Place {
  readonly folder: string;
  /** Marks the processes of this attempt. */
  readonly token: string;
  readonly repo: string;
  readonly control: string;
  readonly env: Readonly<Record<string, string>>;
}

const longestMs = 30 * 60_000;
const mostLanes = 4;

/**
 * Clones the user's repository, which is only read, and lays beside its files what the kinds of damage need. The objects are
 * copies, not links, and the clone has no remote: nothing that happens in it can reach where it came from.
 */
export async function openStage(plan: StagePlan): Promise<Stage> {
  await sweepStages(plan);
  const prefix = plan.keep ? `${stagePrefix}kept ` : stagePrefix;
  const root = await realpath(makeOwnFolder(plan.temporary, prefix));
  const stage: Stage = {
    ...plan,
    root,
    pristine: join(root, 'pristine', 'clone'),
    lanes: Math.min(mostLanes, availableParallelism()),
  };
  // A person who interrupts does not wait for what the product would still tidy up in a clone.
  plan.signal.addEventListener('abort', () => void endProcesses({ token: plan.token }, 0));
  try {
    await writeFile(join(root, tokenFile), plan.token);
    const place = await makePlace(stage, 'pristine');
    await clone(stage);
    await copyRules(stage);
    await writeFile(join(place.folder, 'home', '.gitconfig'), await gitConfigFor(stage));
    await must(stage, 'git', ['checkout', '-q', '-B', 'main', 'HEAD'], place);
    return stage;
  } catch (error) {
    await closeStage(stage);
    throw error;
  }
}

const stagePrefix = 'skeleton drill ';
/** By which the processes of a drill are found when it is dead. */
const tokenFile = 'token';

/** Takes away what drills left that were killed, as far as that goes; gives the folders. */
export async function sweepStages({
  temporary,
  env,
}: Pick<StagePlan, 'temporary' | 'env'>): Promise<readonly string[]> {
  const swept: string[] = [];
  for (const folder of deadFolders(temporary, stagePrefix)) {
    const token = await textOf(join(folder, tokenFile));
    if (token !== '') await endProcesses({ token }, 0);
    const isGone = removeFolder(folder, env).then(
      () => true,
      () => false,
    );
    if (await isGone) swept.push(folder);
  }
  return swept;
}

/** What the kinds of damage need, and the drill's own plan and gate, as commits on top. */
export async function furnishStage(stage: Stage): Promise<void> {
  await must(stage, 'bash', ['-ec', furnish], placeAt(stage, 'pristine'));
}

/** A copy of the furnished clone. */
export async function copyPlace(stage: Stage, name: string): Promise<Place> {
  const place = await makePlace(stage, name);
  const { folder, repo } = place;
  await must(stage, 'cp', ['-a', stage.pristine, repo], { ...place, repo: folder });
  const home = join(folder, 'home', '.gitconfig');
  await writeFile(home, await readFile(join(stage.root, 'pristine', 'home', '.gitconfig')));
  return place;
}

/** Ends what is left of the drill's processes and takes its folder away. */
export async function closeStage({ root, env, token }: Stage): Promise<void> {
  await endProcesses({ token }, 0);
  await removeFolder(root, env);
}

/** Takes the copy of one attempt away. */
export async function removeTrial({ root, env }: Stage, name: string): Promise<void> {
  await removeFolder(join(root, name), env);
}

/** Folders that a vandal closed (mode 000) go too. */
export async function removeFolder(folder: string, env: Environment): Promise<void> {
  const args = ['-R', 'u+rwX', folder];
  const { PATH = '' } = env;
  await runCommand({ file: 'chmod', args, cwd: '/', env: { PATH }, timeoutMs: longestMs });
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Runs a tool in a place; throws where it fails. */
async function must(
  stage: Stage,
  file: string,
  args: readonly string[],
  { repo, env }: Pick<Place, 'repo' | 'env'>,
): Promise<CommandResult> {
  const { signal } = stage;
  const ran = await runCommand({ file, args, cwd: repo, env, timeoutMs: longestMs, signal });
  if (ran.code === 0 || ran.aborted) return ran;
  throw new Error(`${file} ${args.join(' ').slice(0, 200)} failed: ${ran.stderr.trim()}`);
}

async function makePlace(stage: Stage, name: string): Promise<Place> {
  const place = placeAt(stage, name);
  for (const folder of [join(place.folder, 'home'), join(place.folder, 'tmp'), place.control])
    await mkdir(folder, { recursive: true });
  return place;
}

/** Of the user's environment all but what leads git, skeleton or a tool's files elsewhere. */
const foreign = /^(?:GIT|SKELETON|XDG)_/;

function placeAt({ root, env, token, vandal }: Stage, name: string): Place {
  const folder = join(root, name);
  const control = join(root, 'control', name);
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
  );
  return {
    folder,
    token: tokenOf(token, name),
    repo: join(folder, 'clone'),
    control,
    env: {
      ...Object.fromEntries(inherited),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      GIT_CONFIG_NOSYSTEM: '1',
      [controlVariable]: control,
      DRILL_NODE: process.execPath,
      DRILL_VANDAL: vandal,
      SKELETON_STEP: `${token},${tokenOf(token, name)}`,
    },
  };
}

function tokenOf(token: string, name: string): string {
  return `${token}.${name}`;
}

/** The user's own settings hold for reading their repository; nothing is fetched for it, and no hook comes along. */
async function clone({ source, pristine, env, signal }: Stage): Promise<void> {
  const args = ['clone', '-q', '--no-local', '--single-branch', '--no-tags', '--no-checkout'];
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('GIT_'),
  );
  const ran = await runCommand({
    file: 'git',
    args: [...args, '--template=', '--', source, pristine],
    cwd: source,
    env: {
      ...Object.fromEntries(inherited),
      GIT_OPTIONAL_LOCKS: '0',
      GIT_ALLOW_PROTOCOL: 'file',
      GIT_TERMINAL_PROMPT: '0',
    },
    timeoutMs: longestMs,
    signal,
  });
  if (ran.code !== 0 && !ran.aborted) throw new Error(`git clone failed: ${ran.stderr.trim()}`);
}

/** Ignore rules and attributes that a clone does not bring along: the repository's own and the user's. */
async function copyRules(stage: Stage): Promise<void> {
  const info = join(stage.pristine, '.git', 'info');
  await mkdir(info, { recursive: true });
  await mkdir(join(stage.pristine, '.git', 'hooks'), { recursive: true });
  const common = await asked(stage, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  const xdg = join(stage.env['XDG_CONFIG_HOME'] ?? join(stage.env['HOME'] ?? '', '.config'), 'git');
  const rules = [
    ['exclude', 'core.excludesFile', join(xdg, 'ignore')],
    ['attributes', 'core.attributesFile', join(xdg, 'attributes')],
  ] as const;
  for (const [name, setting, usual] of rules) {
    const global = (await asked(stage, ['config', '--type=path', setting])) || usual;
    const text = await Promise.all([global, join(common, 'info', name)].map(textOf));
    await writeFile(join(info, name), text.join('\n'));
  }
}

const carried = ['core.autocrlf', 'core.eol', 'core.safecrlf', 'core.fileMode'];

async function gitConfigFor(stage: Stage): Promise<string> {
  const lines = ['[user]\n\tname = skeleton drill\n\temail = drill@example.invalid\n'];
  for (const key of carried) {
    const value = await asked(stage, ['config', key]);
    if (value !== '') lines.push(`[core]\n\t${key.slice('core.'.length)} = ${value}\n`);
  }
  return lines.join('');
}

/** What git says in the user's repository; '' where it says nothing. */
async function asked({ source, env }: Stage, args: readonly string[]): Promise<string> {
  const { PATH = '', HOME = '', XDG_CONFIG_HOME } = env;
  const given = { PATH, HOME, ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }) };
  const own = { ...given, GIT_OPTIONAL_LOCKS: '0' };
  const ran = await runCommand({ file: 'git', args, cwd: source, env: own, timeoutMs: 30_000 });
  return ran.code === 0 ? ran.stdout.toString('utf8').trim() : '';
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
