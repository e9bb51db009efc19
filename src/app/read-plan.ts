import { readUserConfig, type Environment } from '../compose.ts';
import { mergeConfig, readProjectConfig, withCeilings, type Config } from '../core/config.ts';
import type { Plan, Problem, Task } from '../core/plan/plan.ts';
import { taskStageProblems } from '../core/stages/stages.ts';
import { Refusal, type Gate, type Gates, type Workspace } from '../ports.ts';
import { readPlanFile } from '../run/prepare.ts';

export interface FileProblem extends Problem {
  /** As a person would open it: relative to the top, or absolute for the user's own file. */
  readonly file: string;
}

export interface PlanReading {
  readonly plan: Plan;
  readonly bytes: Uint8Array;
  /** All layers merged; flags win (contract, "Commands"). */
  readonly config: Config;
  /** Of the plan, `.skeleton.yml` and the user's file, all at once. */
  readonly problems: readonly FileProblem[];
  /** Whose `stages:` hold, as a problem's file is named. */
  readonly stagesIn: string;
}

export interface ReadingJob {
  /** Where plan and project configuration are read from: the work tree, or a commit. */
  readonly workspace: Pick<Workspace, 'readWorkFile'>;
  readonly planPath: string;
  readonly flags: Config;
  readonly env: Environment;
}

const projectFile = '.skeleton.yml';

/** Reads the plan and every layer of configuration. Throws Refusal(2) only where there is no plan to read. */
export async function readPlan(job: ReadingJob): Promise<PlanReading> {
  const { plan: read, bytes } = await readPlanFile(job.workspace, job.planPath);
  const project = await readLayer(projectFile, await projectBytes(job.workspace));
  const userFile = readUserConfig(job.env);
  const user = withoutLedger(await readLayer(userFile?.path ?? '', userFile?.bytes));
  const plan = withLimits(read, user.config, job.flags);
  const merged = mergeConfig(user.config, project.config, plan.config);
  const config = mergeConfig(withCeilings(merged, user.config), job.flags);
  const ofStages = plan.tasks.flatMap((task) =>
    taskStageProblems(task.config, config.stages).map((message) => ({ line: task.line, message })),
  );
  const ofPlan = [...plan.problems, ...ofStages].map((one) => ({ ...one, file: plan.path }));
  const problems = [...ofPlan, ...project.problems, ...user.problems];
  const { stages } = config;
  const layers = [[plan.path, plan] as const, [projectFile, project] as const];
  const [stagesIn = userFile?.path ?? ''] =
    layers.find(([, layer]) => layer.config.stages === stages) ?? [];
  return { plan, bytes, config, problems, stagesIn };
}

/** What a task says for itself stays below the user's ceilings, and a flag beats it like all front matter. */
function withLimits(plan: Plan, user: Config, flags: Config): Plan {
  const { attempts, timeout, idleTimeout } = flags;
  const said = { attempts, timeout, idleTimeout };
  const flagged = Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== undefined),
  );
  const tasks = plan.tasks.map((task) => {
    return { ...task, config: { ...withCeilings(task.config, user), ...flagged } };
  });
  return { ...plan, tasks };
}

interface Layer {
  readonly config: Config;
  readonly problems: readonly FileProblem[];
}

async function readLayer(file: string, bytes: Uint8Array | undefined): Promise<Layer> {
  if (bytes === undefined) return { config: {}, problems: [] };
  const { config, problems } = readProjectConfig(bytes, file);
  return { config, problems: problems.map((problem) => ({ ...problem, file })) };
}

/** That was read before there was a plan (settleLedger), and may hold a password. */
function withoutLedger({ config: { ledger, ...config }, problems }: Layer): Layer {
  return { config, problems };
}

async function projectBytes(workspace: ReadingJob['workspace']): Promise<Uint8Array | undefined> {
  const file = await workspace.readWorkFile(projectFile);
  if (file.kind === 'other')
    throw new Refusal(2, `${projectFile} is no regular file but ${file.what}`);
  return file.kind === 'file' ? file.bytes : undefined;
}

export function problemLine({ file, line, column, message }: FileProblem): string {
  const place = column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
  return `${place}: ${message}`;
}

/** The gates of each task, and those that judge every one of them. Throws Refusal(2) where a task has none. */
export async function gatesOf(
  gates: Gates,
  plan: Plan,
  tasks: readonly Task[],
): Promise<{ readonly all: readonly Gate[]; readonly common: readonly Gate[] }> {
  const plain = tasks.find((task) => task.config.gate === undefined);
  const special = tasks.filter((task) => task.config.gate !== undefined);
  const each: (readonly Gate[])[] = [];
  for (const task of [plain, ...special])
    if (task !== undefined) each.push(await gates.find(plan, task));
  const all = new Map(each.flat().map((gate) => [gate.name, gate]));
  const common = [...all.values()].filter((gate) =>
    each.every((found) => found.some(({ name }) => name === gate.name)),
  );
  return { all: [...all.values()], common };
}
