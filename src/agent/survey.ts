import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../core/config.ts';
import { Refusal, type AgentFacts, type AgentsHere, type Chosen } from '../ports.ts';
import { assertModel, mainCaller, permitted } from './agents.ts';
import type { Place } from './command-caller.ts';
import { ask, locate, signIn } from './preset-caller.ts';
import type { Preset } from './preset.ts';
import { presets } from './presets/presets.ts';

type House = Place & { readonly config: Config };

/** Milliseconds for all questions together; who has not ended a second later is killed. */
const PATIENCE = 5000;

/**
 * Every agent that is known by name, installed or not, with what it says of itself, and which one would work. All are asked
 * at the same time, for not longer than about 6 s.
 */
export async function surveyAgents(house: House): Promise<AgentsHere> {
  const place = permitted(house);
  const signal = AbortSignal.timeout(PATIENCE);
  const [chosen, ...known] = await Promise.all([
    chooseAgent(house),
    ...presets.map((preset) => examine(preset, place, signal)),
  ]);
  return { known, chosen };
}

/** Who would work here with this configuration, and for an endpoint or a command whether it is there. */
async function chooseAgent(house: House): Promise<Chosen> {
  const { agentApi, agentCommand } = house.config;
  try {
    const { name, assertReady } = await mainCaller(house);
    if (agentApi !== undefined) assertModel(house.config);
    if (agentApi !== undefined || agentCommand !== undefined)
      await Promise.race([assertReady(), silence(name)]);
    return { name };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    throw error;
  }
}

/** The name of who would work here, told by the configuration and by what lies on PATH alone: nobody is asked. Throws Refusal as `openAgents`. */
export async function agentHere(house: House): Promise<string> {
  return (await mainCaller(house)).name;
}

async function silence(name: string): Promise<never> {
  await sleep(PATIENCE, undefined, { ref: false });
  throw new Refusal(3, `${name} gives no answer within ${PATIENCE / 1000} s`);
}

async function examine(preset: Preset, place: Place, signal: AbortSignal): Promise<AgentFacts> {
  const known = factsOf(preset);
  const found = await locate(preset, place);
  if (found === undefined) return known;
  const { program, path } = found;
  const [version, signedIn] = await Promise.all([
    ask({ file: program, args: preset.version }, place, signal),
    signIn(preset, program, place, signal),
  ]);
  const number = /\d+(?:\.\d+)+\S*/.exec(version?.stdout ?? '')?.[0];
  return { ...known, path, signedIn, ...(number !== undefined && { version: number }) };
}

function factsOf({ name, programs, checked, reports, permissions, signIn }: Preset): AgentFacts {
  return {
    ...{ name, programs, signIn: signIn.how },
    reports: { tokens: reports.tokens, usd: reports.usd },
    flags: permissions.flags,
    meaning: permissions.meaning,
    ...(checked.how === 'run offline' ? { ranVersion: checked.version } : { read: checked.source }),
  };
}
