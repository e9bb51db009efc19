import { join } from 'node:path';
import { nearest } from '../core/config/nearest.ts';
import { permittedIn } from '../core/env-rules.ts';
import { openMask } from '../core/mask.ts';
import type { Config } from '../core/config.ts';
import type { Task } from '../core/plan/plan.ts';
import { oneLine } from '../core/text.ts';
import { Refusal, type Agent, type Agents, type StageJob } from '../ports.ts';
import { apiCaller, noModel } from './api-caller.ts';
import { attemptKey, steadyJob } from './attempt-key.ts';
import type { Caller } from './caller.ts';
import { commandCaller } from './command-caller.ts';
import { presetCaller, programFor } from './preset-caller.ts';
import { findPreset, presets } from './presets/presets.ts';
import { plainStart } from './plain-start.ts';
import { renderPrompt } from './prompt.ts';
import { readStageTemplate, readTemplate } from './read-template.ts';
import { runAgent, type AgentHouse } from './run-agent.ts';

type CallerHouse = Pick<AgentHouse, 'top' | 'env' | 'config'>;

/**
 * Who works on the tasks: what the configuration names, else the only known client that is installed (contract, "Commands").
 * Throws Refusal(3) where neither is there, 2 for an agent that is not known.
 */
export async function openAgents(given: AgentHouse): Promise<Agents> {
  const house = permitted(given);
  const { config } = house;
  const opened = new Map<string, Agent>();
  const named = (name: string): Agent => {
    const agent = opened.get(name) ?? agentOf(callerNamed(name, house), house);
    opened.set(name, agent);
    return agent;
  };
  const main = agentOf(await mainCaller(house), house);
  opened.set(main.name, main);
  const fallback = (config.fallback ?? []).map(named);
  return {
    name: main.name,
    of: (task: Task) => {
      const first = task.config.agent === undefined ? main : named(task.config.agent);
      if (first.name === 'built-in') assertModel(config, task.config.model);
      return [first, ...fallback.filter(({ name }) => name !== first.name)];
    },
  };
}

/** Asked for its sign-in, an agent has no more to go by than when it works. */
export function permitted<House extends CallerHouse>(house: House): House {
  return { ...house, env: permittedIn(house.env, house.config.env) };
}

/** A client has a model of its own; an endpoint has none that is not named. Throws Refusal(2). */
export function assertModel({ agentApi, model, models = [] }: Config, ofTask?: string): void {
  if ((ofTask ?? agentApi?.model ?? model ?? models[0]) === undefined) throw noModel();
}

/** The one that works where a task names none. Throws as `openAgents`. */
export async function mainCaller(given: CallerHouse): Promise<Caller> {
  const house = permitted(given);
  const { agent, agentCommand, agentApi } = house.config;
  if (agentCommand !== undefined) return commandCaller(agentCommand, house);
  if (agentApi !== undefined) return apiCaller(agentApi, house);
  return callerNamed(agent ?? (await onlyInstalled(house)), house);
}

function callerNamed(name: string, house: CallerHouse): Caller {
  const preset = findPreset(name);
  if (preset !== undefined) return presetCaller(preset, house, house.config.permissions);
  const known = presets.map((one) => one.name);
  const near = nearest(name, known);
  throw new Refusal(
    2,
    `no agent is called ${oneLine(name)}: ${near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`}`,
    "skeleton run --agent NAME, or --agent-command 'COMMAND' for any other; it gets the prompt on its standard input",
  );
}

async function onlyInstalled(house: CallerHouse): Promise<string> {
  const there: string[] = [];
  for (const preset of presets)
    if ((await programFor(preset, house)) !== undefined) there.push(preset.name);
  const [only] = there;
  if (only !== undefined && there.length === 1) return only;
  const found =
    only === undefined
      ? 'no agent is named, and none that is known is installed'
      : `no agent is named, and several are installed: ${there.join(', ')}`;
  throw new Refusal(
    3,
    found,
    "skeleton run --agent NAME, or --agent-command 'COMMAND'; or `agent: NAME` in the front matter or in .skeleton.yml",
  );
}

function agentOf(caller: Caller, house: AgentHouse): Agent {
  const { top, packageRoot, config } = house;
  const stateFolder = join(house.commonDir, 'skeleton');
  const mask = openMask(house.secrets ?? []);
  const places = { top, packageRoot, prompt: config.prompt };
  const template = (stage?: StageJob): Promise<string> =>
    stage === undefined ? readTemplate(places) : readStageTemplate(stage, places);
  const unsteady = { here: [stateFolder, top], temporary: house.env['TMPDIR'] };
  const prompt: Agent['prompt'] = async (job) => {
    const text = renderPrompt(await template(job.stage), job, stateFolder, mask.text);
    return caller.takesCommands === true ? plainStart(text) : text;
  };
  return {
    name: caller.name,
    reports: caller.reports,
    assertReady: async () => {
      await template();
      for (const { name, prompt: path } of config.stages ?? [])
        await readStageTemplate({ name, prompt: path }, places);
      await caller.assertReady();
    },
    prompt,
    key: async (job, trees) => {
      const still = renderPrompt(await template(job.stage), steadyJob(job, unsteady), '');
      return attemptKey({ job, prompt: still, trees }, caller, config);
    },
    run: async (job) => runAgent(job, await prompt(job), caller, house),
  };
}
