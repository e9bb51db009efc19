import { openHouse, planPathIn, type Environment, type House } from '../compose.ts';
import { spellNotifier, variableOf } from '../core/notification.ts';
import { planSlug } from '../core/refs.ts';
import type { Config } from '../core/config.ts';
import type { Plan } from '../core/plan/plan.ts';
import { settingsOf } from '../core/settings.ts';
import { filesBehind, holesIn, makefiles, type GateText } from '../core/gate-holes.ts';
import { scriptsIn } from '../core/init/node-project.ts';
import { isUnwritten } from '../core/init/unwritten-gate.ts';
import { stagedTasks } from '../run/stages.ts';
import { assertReady } from '../run/start-run.ts';
import { Refusal, type Agents, type Gate, type Workspace } from '../ports.ts';
import { startPaths } from '../run/prepare.ts';
import { stepProblems } from './step-problems.ts';
import { gatesOf, readPlan, type FileProblem, type PlanReading } from './read-plan.ts';

export interface CheckResult {
  readonly plan: Plan;
  readonly planPath: string;
  /** Of the plan and every configuration file: with any, a run would end with 2. */
  readonly problems: readonly FileProblem[];
  /** What else would stop a run, and the command that mends it. */
  readonly environment: readonly { readonly message: string; readonly mend: string }[];
  /** Names of the gates, in the order they run. */
  readonly gates: readonly string[];
  /** Who would work; undefined where a warning says why nobody can. */
  readonly agent?: string;
  /** How a run would end for want of one, if nobody is named on its command line. */
  readonly agentStatus?: Refusal['status'];
  /** Who is told of a run. */
  readonly notify: readonly string[];
  /** What a run would accept and a person should know: gates with holes, hooks that do not run, no agent named yet. */
  readonly warnings: readonly string[];
}

/** Reads everything that a run would read, and runs nothing. Throws Refusal where there is no repository or no plan to read. */
export async function checkPlan(options: {
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
}): Promise<CheckResult> {
  const house = await openHouse(options.cwd, options.env);
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const workspace = await house.workspace();
  const reading = await readPlan({ workspace, planPath, flags: {}, env: options.env });
  const gates = await attempt(() => gatesIn(house, reading));
  const rest = [
    await attempt(() => workspace.assertReady(planSlug(planPath))),
    await attempt(() => assertClean(workspace, planPath, reading.config)),
  ];
  const opened = await attempt(() => house.agents(reading.config));
  const inSteps = (await attempt(() => problemsInSteps(house, reading, opened.value))).value ?? [];
  const agent = await ready(opened, reading, inSteps.length === 0);
  const found = gates.value ?? [];
  const texts = await gateTexts(workspace, found);
  return {
    plan: reading.plan,
    planPath,
    problems: [...reading.problems, ...inSteps],
    environment: notReady([gates, ...rest], texts),
    gates: found.map((gate) => gate.name),
    ...(agent.value !== undefined && { agent: agent.value }),
    ...(agent.refusal && { agentStatus: agent.refusal.status }),
    notify: (reading.config.notify ?? []).map(spellNotifier),
    warnings: [
      ...(agent.refusal === undefined ? [] : [agentWarning(agent.refusal)]),
      ...(await holes(workspace, texts, settingsOf(reading.config).protect)),
      ...(await hookWarnings(workspace)),
      ...unsetVariables(reading.config, options.env),
    ],
  };
}

async function problemsInSteps(
  house: House,
  reading: PlanReading,
  agents: Agents | undefined,
): Promise<readonly FileProblem[]> {
  const tasks = reading.plan.tasks.filter(({ state }) => state === 'pending');
  return stepProblems({ reading, tasks, gates: await house.gates(reading.config), agents });
}

/** Of stages that are wrong, nobody can be asked. */
async function ready(
  { value: agents, refusal }: Tried<Agents>,
  { plan: { tasks }, config }: PlanReading,
  withStages: boolean,
): Promise<Tried<string>> {
  if (agents === undefined) return refusal === undefined ? {} : { refusal };
  const settings = settingsOf(config);
  const all = withStages ? tasks.flatMap((task) => stagedTasks(task, settings)) : tasks;
  return attempt(async () => {
    await assertReady(agents, all);
    return agents.name;
  });
}

function agentWarning({ message, mend }: NonNullable<Tried<string>['refusal']>): string {
  return `agent: ${message}${mend === '' ? '' : `; ${mend}`}`;
}

async function gateTexts(
  workspace: Workspace,
  gates: readonly Gate[],
): Promise<readonly GateText[]> {
  const texts: GateText[] = [];
  for (const { name, command, script } of gates) {
    const file = script === undefined ? undefined : await workspace.readWorkFile(script);
    const text = file?.kind === 'file' ? new TextDecoder().decode(file.bytes) : command;
    texts.push({ name, text });
  }
  return texts;
}

function notReady(
  tried: readonly Tried<unknown>[],
  gates: readonly GateText[],
): CheckResult['environment'] {
  const refused = tried.flatMap(({ refusal }) =>
    refusal === undefined ? [] : { message: refusal.message, mend: refusal.mend },
  );
  const unwritten = gates.filter(({ text }) => isUnwritten(text));
  const lines = unwritten.map(({ name }) => ({
    message: `gate ${name} is as skeleton init wrote it: it accepts nothing`,
    mend: 'put the commands into it that build, lint and test this project',
  }));
  return [...refused, ...lines];
}

async function holes(
  workspace: Workspace,
  texts: readonly GateText[],
  protect: readonly string[],
): Promise<readonly string[]> {
  const exists = new Set<string>();
  const whole: GateText[] = [];
  for (const { name, text } of texts) {
    const called = await calledBy(workspace, text);
    whole.push({ name, text: [text, ...called].join('\n') });
  }
  for (const path of new Set(whole.flatMap(filesBehind)))
    if ((await workspace.readWorkFile(path)).kind === 'file') exists.add(path);
  return holesIn(whole, protect, (path) => exists.has(path));
}

/** What make and npm run for a gate that calls them. */
async function calledBy(workspace: Workspace, text: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const path of filesBehind({ text })) {
    if (path !== 'package.json' && !makefiles.includes(path)) continue;
    const file = await workspace.readWorkFile(path);
    if (file.kind !== 'file') continue;
    const content = new TextDecoder().decode(file.bytes);
    texts.push(...(path === 'package.json' ? scriptsIn(content) : [content]));
  }
  return texts;
}

async function hookWarnings(workspace: Workspace): Promise<readonly string[]> {
  const hooks = await workspace.activeHooks();
  if (hooks.length === 0) return [];
  return [`checkpoints run no hook: what ${hooks.join(', ')} checks has to be a gate`];
}

function unsetVariables({ notify = [] }: Config, env: Environment): readonly string[] {
  return notify.flatMap(({ webhook = '' }) => {
    const name = variableOf(webhook);
    if (name === undefined || (env[name] ?? '') !== '') return [];
    return [`notify: $${name} is not set, so nobody is told there`];
  });
}

async function gatesIn(house: House, { plan, config }: PlanReading): Promise<readonly Gate[]> {
  if (!settingsOf(config).judged) return [];
  const gates = await house.gates(config);
  const pending = plan.tasks.filter((task) => task.state === 'pending');
  if (pending.length === 0) return gates.find(plan, undefined);
  return (await gatesOf(gates, plan, pending)).all;
}

/** With `autostash` and `isolate` a run does not mind. */
async function assertClean(
  workspace: Workspace,
  planPath: string,
  { autostash, isolate }: Config,
): Promise<void> {
  if (autostash === true || isolate === true) return;
  startPaths(await workspace.dirt(), planPath);
}

interface Tried<T> {
  readonly value?: T;
  readonly refusal?: Refusal;
}

/** A refusal is what `check` is for; anything else is a surprise. */
async function attempt<T>(work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: error };
  }
}
