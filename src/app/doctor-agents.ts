import {
  openSurvey,
  planPathIn,
  readUserConfig,
  type Environment,
  type House,
} from '../compose.ts';
import { readProjectConfig, type Config } from '../core/config.ts';
import type { DoctorData, DoctorLine, DoctorSection } from '../core/doctor.ts';
import { oneLine } from '../core/text.ts';
import { Refusal, type AgentFacts, type AgentsHere } from '../ports.ts';
import { readPlan } from './read-plan.ts';

/** Each known agent as it stands on this machine, and which one a run here would take. */
export async function agentsSection(
  cwd: string,
  env: Environment,
  house?: House,
): Promise<DoctorSection> {
  const config = await configHere(cwd, env, house);
  const { surveyAgents } = await openSurvey();
  const here = await surveyAgents({ top: house?.facts.top ?? cwd, env, config });
  const installed = here.known.filter(({ path }) => path !== undefined);
  return {
    title: 'agents',
    lines: [
      choiceLine(here, config),
      ...installed.flatMap((agent) => agentLines(agent, config)),
      builtIn,
      ...absentLine(here.known.filter(({ path }) => path === undefined)),
    ],
  };
}

/** Of plan, project and user, as far as they can be read: what is wrong with them is for `check` to say. */
async function configHere(cwd: string, env: Environment, house?: House): Promise<Config> {
  try {
    if (house !== undefined) {
      const planPath = planPathIn(house.facts.top, cwd, undefined);
      const workspace = await house.workspace();
      return (await readPlan({ workspace, planPath, flags: {}, env })).config;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  const user = readUserConfig(env);
  return user === undefined ? {} : readProjectConfig(user.bytes, user.path).config;
}

function choiceLine({ known, chosen }: AgentsHere, config: Config): DoctorLine {
  const isNamed = [config.agent, config.agentApi, config.agentCommand].some(Boolean);
  if ('refusal' in chosen) {
    const { message, mend } = chosen.refusal;
    const text = `a run here has no agent: ${message}${mend === '' ? '' : `; ${mend}`}`;
    const state = isNamed ? 'problem' : 'notice';
    return { state, text, data: { chosen: null, why: oneLine(message) } };
  }
  const { name } = chosen;
  const why = isNamed ? 'its configuration names it' : 'the only one that is installed';
  const data = { chosen: name, why };
  const facts = known.find((agent) => agent.name === name && config.agentCommand === undefined);
  const wrong = facts && wrongWith(facts);
  return wrong === undefined
    ? { state: 'ok', text: `a run here takes ${oneLine(name)}: ${why}`, data }
    : { state: 'problem', text: `a run here would take ${name}, but it ${wrong}`, data };
}

function wrongWith({ path, programs, signedIn, signIn }: AgentFacts): string | undefined {
  if (path === undefined) return `is not installed: ${programs.join(', ')} is not on PATH`;
  return signedIn === 'no' ? `is not signed in: ${signIn}` : undefined;
}

const signedInWord = { yes: 'signed in', no: 'not signed in', unknown: 'sign-in unknown' };

function agentLines(agent: AgentFacts, { permissions }: Config): readonly DoctorLine[] {
  const { name, version, signedIn = 'unknown', path = '' } = agent;
  const how = signedIn === 'yes' ? '' : ` (${agent.signIn})`;
  const parts = [
    `${name} ${version ?? '(no version)'}: ${signedInWord[signedIn]}${how}`,
    madeSure(agent),
    `reports ${reportsOf(agent)}`,
    path,
  ];
  const means =
    permissions === 'configured'
      ? `${name} is called without permission flags: permissions: configured`
      : `${name} ${agent.flags.join(' ')}: ${agent.meaning}`;
  return [
    { state: signedIn === 'no' ? 'notice' : 'ok', text: parts.join('; '), rows: [rowOf(agent)] },
    { state: 'ok', text: means, rows: [] },
  ];
}

function madeSure({ ranVersion, read }: AgentFacts): string {
  return ranVersion === undefined
    ? `never run here, known from ${read ?? 'its documentation'}`
    : `run offline with ${ranVersion}`;
}

function reportsOf({ reports: { tokens, usd } }: Pick<AgentFacts, 'reports'>): string {
  if (!tokens && !usd) return 'neither tokens nor cost';
  return usd ? 'tokens and cost' : 'tokens, no cost';
}

function rowOf(agent: AgentFacts): DoctorData {
  const { path, version, signedIn } = agent;
  return {
    ...{ name: agent.name, path: path ?? null, version: version ?? null },
    ...{ signed_in: path === undefined ? null : (signedIn ?? 'unknown'), sign_in: agent.signIn },
    ...{ ran_version: agent.ranVersion ?? null, documentation: agent.read ?? null },
    ...{ tokens: agent.reports.tokens, usd: agent.reports.usd },
    ...{ permission_flags: agent.flags.join(' '), permissions: agent.meaning },
  };
}

const builtIn: DoctorLine = {
  state: 'ok',
  text: 'built-in: any OpenAI-compatible or Anthropic endpoint, agent: {api: URL, model: NAME}; reports tokens, no cost',
  data: { name: 'built-in', tokens: true, usd: false },
};

function absentLine(absent: readonly AgentFacts[]): readonly DoctorLine[] {
  if (absent.length === 0) return [];
  const names = absent.map(({ name }) => name).join(', ');
  return [{ state: 'ok', text: `not installed: ${names}`, rows: absent.map(rowOf) }];
}
