import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openHouse,
  openNewFiles,
  openSurvey,
  packageRoot,
  readUserConfig,
  type Environment,
  type House,
} from '../compose.ts';
import { mergeConfig, readProjectConfig, type Config } from '../core/config.ts';
import {
  draftFiles,
  gatesFor,
  restingPlaces,
  workflowPath,
  type Draft,
  type DraftFile,
} from '../core/init/draft-files.ts';
import { isRead, type TopFacts } from '../core/init/find-stacks.ts';
import { manifests } from '../core/init/stacks.ts';
import { ownerNotice } from '../core/init/workflow-text.ts';
import { parsePlan } from '../core/plan/parse-plan.ts';
import { shortRef } from '../core/refs.ts';
import { Refusal, type Workspace } from '../ports.ts';

export interface InitOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /** Who is to work; else the only known client that is installed, where no configuration names one. */
  readonly agent?: string;
  /** Nothing is written. */
  readonly dryRun: boolean;
}

export interface InitFile {
  /** Relative to the top, with `/`. */
  readonly path: string;
  readonly state: 'written' | 'to write' | 'kept';
  /** Of one that is kept. */
  readonly why?: string;
  /** Of one that is to be written. */
  readonly text?: string;
}

export interface InitResult {
  /** Absolute. */
  readonly top: string;
  readonly stacks: readonly string[];
  readonly files: readonly InitFile[];
  readonly notices: readonly string[];
  /** Path of the plan that a run would take; undefined where what lies there can be none. */
  readonly plan: string | undefined;
  /** There is no commit yet, which a run needs. */
  readonly isUnborn: boolean;
}

/** Folders deep, below the top. */
const LEVELS = 2;

/**
 * Writes PLAN.md, gates for what the project is built with, and a workflow of CI, each only where nothing is (contract,
 * "Commands"). Takes no lock, calls no agent. Throws Refusal: 3 without a repository or where the disk does not take a
 * file, 2 for an agent that is not known.
 */
export async function init(options: InitOptions): Promise<InitResult> {
  const { cwd, env, dryRun } = options;
  const house = await openHouse(cwd, env);
  const workspace = await house.workspace();
  const { facts } = house;
  const agent = await agentFor(options, house, workspace);
  const draft = await draftFor(house, workspace, agent);
  const { inTheWayOf, writeNew } = await openNewFiles();
  const files: InitFile[] = [];
  for (const file of draft.files) {
    const why = inTheWayOf(facts.top, file.path) ?? (await planElsewhere(file, workspace));
    if (why !== undefined) files.push({ path: file.path, state: 'kept', why });
    else if (dryRun) files.push({ path: file.path, state: 'to write', text: file.text });
    else files.push(writeNew(facts, file) ? written(file) : overtaken(file));
  }
  return {
    top: facts.top,
    stacks: draft.stacks,
    files,
    notices: [
      ...draft.notices,
      ...(await fileNotices({ files, workspace, env })),
      ...(await ignoredNotices(files, workspace)),
    ],
    plan: await planAt(files, workspace),
    isUnborn: facts.head === undefined,
  };
}

function written({ path }: DraftFile): InitFile {
  return { path, state: 'written' };
}

function overtaken({ path }: DraftFile): InitFile {
  return { path, state: 'kept', why: 'it appeared just now' };
}

/** One at the top would be taken for the plan instead of it. */
async function planElsewhere(
  { path }: DraftFile,
  workspace: Workspace,
): Promise<string | undefined> {
  if (path !== 'PLAN.md') return undefined;
  const nested = await workspace.readWorkFile('docs/PLAN.md');
  return nested.kind === 'missing' ? undefined : 'docs/PLAN.md is the plan';
}

async function planAt(
  files: readonly InitFile[],
  workspace: Workspace,
): Promise<string | undefined> {
  if (files.some(({ state }) => state === 'to write')) return 'PLAN.md';
  for (const path of ['PLAN.md', 'docs/PLAN.md']) {
    const { kind } = await workspace.readWorkFile(path);
    if (kind !== 'missing') return kind === 'file' ? path : undefined;
  }
  return undefined;
}

async function draftFor(
  { facts: { top, branch } }: House,
  workspace: Workspace,
  agent: string | undefined,
): Promise<Draft> {
  const facts = await readTop(top, workspace);
  const gates = new Map<string, string>();
  for (const name of gatesFor(facts)) gates.set(name, await shipped('gates', name));
  const there = new Set<string>();
  for (const path of restingPlaces({ top: facts, gates }))
    if ((await workspace.readWorkFile(path)).kind === 'file') there.add(path);
  return draftFiles({
    top: facts,
    gates,
    workflow: await shipped('templates', 'init', 'workflow.yml'),
    branch: branch === undefined ? undefined : shortRef(branch),
    agent,
    exists: (path) => there.has(path),
  });
}

async function readTop(top: string, workspace: Workspace): Promise<TopFacts> {
  const { filesNear } = await openNewFiles();
  const paths = filesNear(top, LEVELS);
  const files = new Set(paths.filter((path) => !path.includes('/')));
  const texts = new Map<string, string>();
  for (const name of [...files].filter(isRead)) {
    const file = await workspace.readWorkFile(name);
    if (file.kind === 'file') texts.set(name, new TextDecoder().decode(file.bytes));
  }
  const isManifest = (path: string): boolean => manifests.includes(path.replace(/^.*\//, ''));
  const near = paths.filter((path) => path.includes('/'));
  return { files, texts, below: near.filter(isManifest), near };
}

/** A file of the package's own. */
async function shipped(...parts: readonly string[]): Promise<string> {
  return readFile(join(packageRoot, ...parts), 'utf8');
}

/** Undefined where a configuration names who works, or where it cannot be told: `check` says what is to be done then. */
async function agentFor(
  { env, agent }: InitOptions,
  house: House,
  workspace: Workspace,
): Promise<string | undefined> {
  const { agentHere } = await openSurvey();
  const { top } = house.facts;
  if (agent !== undefined) return agentHere({ top, env, config: { agent } });
  const config = await configHere(env, workspace);
  if ([config.agent, config.agentApi, config.agentCommand].some(Boolean)) return undefined;
  try {
    return await agentHere({ top, env, config });
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function configHere(env: Environment, workspace: Workspace): Promise<Config> {
  const user = readUserConfig(env);
  const project = await workspace.readWorkFile('.skeleton.yml');
  const layers = [
    ...(user === undefined ? [] : [readProjectConfig(user.bytes, user.path).config]),
    ...(project.kind === 'file' ? [readProjectConfig(project.bytes, '.skeleton.yml').config] : []),
  ];
  return mergeConfig(...layers);
}

/** Of files as they lie there now, whoever wrote them. */
async function fileNotices(here: {
  readonly files: readonly InitFile[];
  readonly workspace: Workspace;
  readonly env: Environment;
}): Promise<readonly string[]> {
  const { files, workspace, env } = here;
  const textOf = async (path: string): Promise<string> => {
    const draft = files.find((file) => file.path === path)?.text;
    const file = draft === undefined ? await workspace.readWorkFile(path) : undefined;
    return draft ?? (file?.kind === 'file' ? new TextDecoder().decode(file.bytes) : '');
  };
  const plan = parsePlan(new TextEncoder().encode(await textOf('PLAN.md')), 'PLAN.md');
  const { gates } = mergeConfig(await configHere(env, workspace), plan.config);
  const isWritten = files.some(({ path, state }) => path.endsWith('.sh') && state !== 'kept');
  return [
    ...(gates !== undefined && isWritten ? [ownGatesNotice] : []),
    ...ownerNotice(workflowPath, await textOf(workflowPath)),
  ];
}

const ownGatesNotice =
  'a configuration names its own gates:, so those in the folder gates/ are not run: name them there too, or take it out';

/** Git would leave them out of the start, and a run would say so late. */
async function ignoredNotices(
  files: readonly InitFile[],
  workspace: Workspace,
): Promise<readonly string[]> {
  const notices: string[] = [];
  for (const { path, state } of files) {
    if (state !== 'written') continue;
    const file = await workspace.readWorkFile(path);
    if (file.kind === 'file' && file.ignored)
      notices.push(`${path} is ignored, so git will not hold it: git check-ignore -v ${path}`);
  }
  return notices;
}
