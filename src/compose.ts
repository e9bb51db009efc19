/** The composition root: with src/compose/, the only place that builds adapters. Everything heavy is imported when it is needed. */
import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Survey from './agent/survey.ts';
import { agentDoors, type AgentDoors } from './compose/agent-doors.ts';
import { ledgerDoors, settleLedger, sharedIn, type LedgerDoors } from './compose/ledger-doors.ts';
import type { Config } from './core/config.ts';
import { withoutPassword } from './core/env-rules.ts';
import { ledgerVariable } from './core/ledger-place.ts';
import { openMask, type Mask } from './core/mask.ts';
import { secretsIn } from './core/secrets.ts';
import type { Wakefulness } from './exec/keep-awake.ts';
import { lazyWatcher } from './exec/lazy-watcher.ts';
import { clock } from './exec/system-clock.ts';
import type * as DrillRoom from './drill/room.ts';
import type { Repository } from './git/located-repository.ts';
import type * as NewFiles from './git/new-files.ts';
import type { ScratchRepository } from './git/scratch-repository.ts';
import {
  Refusal,
  type Checkpoints,
  type Gates,
  type Keeper,
  type Notifier,
  type Processes,
  type Pruner,
  type Remote,
  type RepositoryFacts,
  type Traces,
  type Workspace,
  type Worktrees,
} from './ports.ts';

/** The folder that holds gates/, templates/ and schema/: the package's own, above src/ or dist/src/. */
export const packageRoot: string = ['..', '../..']
  .map((up) => fileURLToPath(new URL(up, import.meta.url)))
  .find((folder) => existsSync(join(folder, 'package.json'))) as string;

export { clock };
export { openStamp, settleLedger } from './compose/ledger-doors.ts';
export type { StorePlace } from './compose/ledger-doors.ts';
export { deadlineAfter } from './exec/limit-timer.ts';
export { readUserConfig } from './exec/user-config.ts';
export {
  draftPrompt,
  inScratchFolder,
  openForge,
  openPlanFile,
  openPublisher,
} from './compose/outward.ts';
export { stoppingWith } from './git/stopping.ts';
export { assertTemporary, makeTemporary } from './exec/temporary-folder.ts';
export { sweepFolders } from './exec/own-folders.ts';
export type { ScratchRepository };
export type Environment = Readonly<Record<string, string | undefined>>;

/** One repository as a command sees it: facts, and doors that open when they are needed. */
export interface House extends LedgerDoors, AgentDoors {
  readonly facts: RepositoryFacts;
  /** Of what we write about secrets in our environment. */
  readonly mask: Mask;
  readonly workspace: () => Promise<Workspace>;
  /** The part of the workspace that only reads. */
  readonly looker: () => Promise<Pick<Workspace, 'readWorkFile' | 'resolve' | 'diff'>>;
  readonly keeper: () => Promise<Keeper>;
  /** What git knows of runs, for a ledger that was lost. */
  readonly traces: () => Promise<Traces>;
  readonly processes: () => Promise<Processes>;
  /** The gates as they lie in a work tree: in this one, unless another's top is given. */
  readonly gates: (config: Config, top?: string) => Promise<Gates>;
  readonly worktrees: () => Promise<Worktrees>;
  readonly checkpoints: () => Promise<Checkpoints>;
  readonly pruner: () => Promise<Pruner>;
  /** A git remote of that name; nothing is asked of it yet. */
  readonly remote: (name: string) => Promise<Remote>;
  /** A configuration of git with which pushes go nowhere, as the remotes are now. */
  readonly pushOff: () => Promise<string>;
  /** Full names of refs, and paths in the state folder, that `gc` took. */
  readonly pruned: () => Promise<ReadonlySet<string>>;
  /** The machine does not go to sleep until this is closed, as far as it can be asked. */
  readonly keepAwake: () => Promise<Wakefulness>;
  /** Ends what watches over the steps; nothing of a step lives then. */
  readonly close: () => Promise<void>;
}

function gitDoors(
  cwd: string,
  env: Environment,
): Pick<
  House,
  | 'workspace'
  | 'looker'
  | 'keeper'
  | 'worktrees'
  | 'checkpoints'
  | 'traces'
  | 'pruner'
  | 'remote'
  | 'pushOff'
> {
  const repository = opener(cwd, env);
  let opened: Promise<Repository> | undefined;
  /** For what only looks, and so needs no newer one. */
  const shared = (): Promise<Repository> => (opened ??= repository());
  return {
    workspace: async () => (await import('./git/workspace.ts')).openWorkspace({ cwd, env }),
    looker: async () => (await import('./git/looker.ts')).openLooker(await shared()),
    keeper: async () => (await import('./git/keeper.ts')).openKeeper({ cwd, env }),
    worktrees: async () => (await import('./git/worktrees.ts')).openWorktrees(await repository()),
    checkpoints: async () =>
      (await import('./git/checkpoints.ts')).openCheckpoints(await repository()),
    traces: async () => (await import('./git/traces.ts')).openTraces(await shared()),
    remote: async (name) => (await import('./git/remote.ts')).openRemote(await repository(), name),
    pruner: async () => (await import('./git/pruner.ts')).openPruner(await repository()),
    pushOff: async () => (await import('./git/push-off.ts')).pushOffConfig(await repository()),
  };
}

function opener(cwd: string, env: Environment): () => Promise<Repository> {
  return async () => (await import('./git/repository.ts')).openRepository(cwd, env);
}

async function openProcesses(groupsFolder: string, env: Environment): Promise<Processes> {
  const { endLeft, endNoted } = await import('./exec/step-groups.ts');
  await endLeft(groupsFolder);
  const { watchOutside } = await import('./exec/outside-work.ts');
  return { endByToken: (token) => endNoted(groupsFolder, token), outside: watchOutside(env) };
}

/** Finds the repository of a folder. Throws Refusal (2: the ledger is said to be where none can be; 3: there is no repository). */
export async function openHouse(cwd: string, given: Environment): Promise<House> {
  const settled = await settleLedger(given);
  const shared = sharedIn(settled);
  // Of all that is started from here, nothing is to know where the ledger is.
  const { [ledgerVariable]: hidden, ...env } = settled;
  const { findRepository } = await import('./git/repository.ts');
  const facts = await findRepository(cwd, env);
  if (facts === undefined)
    throw new Refusal(3, `${cwd} is in no git work tree`, 'git init, then commit what is there');
  const stateFolder = join(facts.commonDir, 'skeleton');
  const git = gitDoors(cwd, env);
  const groupsFolder = join(stateFolder, 'groups');
  const watch = lazyWatcher(groupsFolder);
  const secrets = secretsIn(settled);
  const places = { top: facts.top, commonDir: facts.commonDir, packageRoot, secrets };
  const forSteps = (config: Config): Environment =>
    shared === undefined ? env : withoutPassword(env, config.env);
  return {
    facts,
    mask: openMask(secrets),
    ...git,
    ...ledgerDoors({ stateFolder, shared, repository: opener(cwd, env) }),
    pruned: async () => (await import('./git/pruned-record.ts')).readPruned(facts.commonDir),
    processes: async () => openProcesses(groupsFolder, env),
    gates: async (config, top = facts.top) => {
      const { openGates } = await import('./gate/gates.ts');
      const own = { ...places, env: forSteps(config), top };
      return openGates({ ...own, config, watcher: await watch.open() });
    },
    ...agentDoors({ ...places, envFor: forSteps, pushOff: git.pushOff }, watch.open),
    keepAwake: async () => (await import('./exec/keep-awake.ts')).keepAwake(env),
    close: () => watch.close(),
  };
}

/** Who is told of a run, with commands that run in this folder. */
export async function openNotifier(cwd: string, env: Environment): Promise<Notifier> {
  const notify = await import('./notify/notifier.ts');
  return notify.openNotifier({ cwd, env, secrets: secretsIn(env) });
}

export interface Tools {
  /** Undefined where it is not installed. */
  readonly git: string | undefined;
  readonly node: string;
  /** The driver and its version; undefined where there is none. */
  readonly sqlite: string | undefined;
}

/** The programs that everything rests on. */
export async function readTools(cwd: string, env: Environment): Promise<Tools> {
  const { gitVersion } = await import('./git/git-version.ts');
  const { describeSqlite } = await import('./ledger/sqlite.ts');
  return { git: await gitVersion(cwd, env), node: process.version, sqlite: await describeSqlite() };
}

/** What looks at the agents of this machine. */
export async function openSurvey(): Promise<typeof Survey> {
  return import('./agent/survey.ts');
}

/** Where the plan is: --plan (relative to the current folder), else PLAN.md, else docs/PLAN.md at the top. Relative to the top, with `/`. */
export function planPathIn(top: string, cwd: string, asked: string | undefined): string {
  if (asked !== undefined) {
    const path = relative(top, resolve(cwd, asked)).split(sep).join('/');
    if (path === '' || path === '..' || path.startsWith('../'))
      throw new Refusal(
        2,
        `--plan ${asked} is outside the work tree ${top}`,
        'the plan has to be committed with the code',
      );
    return path;
  }
  const nested = 'docs/PLAN.md';
  return !existsSync(join(top, 'PLAN.md')) && existsSync(join(top, nested)) ? nested : 'PLAN.md';
}

/** What looks for files in a work tree, and writes new ones. */
export async function openNewFiles(): Promise<typeof NewFiles> {
  return import('./git/new-files.ts');
}

/** A repository of its own for the demo, made of the files that lie in a folder. */
export async function openScratchRepository(folder: string): Promise<ScratchRepository> {
  const { makeScratchRepository } = await import('./git/scratch-repository.ts');
  return makeScratchRepository(folder);
}

/** What a drill is made of, and where the built command and the drill's vandal lie. */
export async function openDrillRoom(): Promise<typeof DrillRoom> {
  return import('./drill/room.ts');
}

export const builtCommand: string = join(packageRoot, 'dist', 'cli', 'main.js');
export const builtVandal: string = join(packageRoot, 'dist', 'src', 'drill', 'vandal.js');
