import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAgents } from '../../src/agent/agents.ts';
import type { AgentHouse } from '../../src/agent/run-agent.ts';
import type { Config } from '../../src/core/config.ts';
import type { Agent, AgentJob } from '../../src/ports.ts';
import { aGateHouse, aGateJob, plan } from '../support/gate-house.ts';
import { aPlan, aTask } from '../support/plans.ts';

let root: string;
let top: string;
let logFolder: string;
const packageRoot = join(import.meta.dirname, '../..');
const secret = { name: 'API_TOKEN', value: 'v4lue-of-mine' };

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'agent environment ')));
  top = join(root, 'the repo');
  logFolder = join(top, '.git/skeleton/logs/r/one/1');
  mkdirSync(join(top, '.git'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function agentFor(config: Config, more: Partial<AgentHouse> = {}): Promise<Agent> {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1', API_TOKEN: secret.value },
    ...{ SSH_AUTH_SOCK: '/sock', SSH_AGENT_PID: '1', OTHER: '1' },
  };
  const house = { top, commonDir: join(top, '.git'), packageRoot, env, config, ...more };
  const [first] = (await openAgents(house)).of(aTask('one'));
  if (first === undefined) throw new Error('nobody works here');
  return first;
}

function aJob(more: Partial<AgentJob> = {}): AgentJob {
  const task = aTask('one', { text: `do ${secret.value}` });
  return {
    plan: aPlan([task]),
    task,
    attempt: { number: 7, attempt: 2, attempts: 5 },
    run: 'r',
    base: 'c0ffee',
    token: randomUUID(),
    gates: ['check.sh'],
    protect: [],
    feedback: undefined,
    logFolder,
    signal: new AbortController().signal,
    ...more,
  };
}

const log = (): string => readFileSync(join(logFolder, 'agent.log'), 'utf8');
const pushOff = (): Promise<string> => Promise.resolve('[my]\n\tmark = 1\n');
const named = (text: string): readonly string[] =>
  text.split('\n').map((l) => l.split('=')[0] ?? '');

describe('an agent', () => {
  it('has no SSH agent, and a configuration of git in which pushes are off, while it runs', async () => {
    const agent = await agentFor(
      { agentCommand: 'env; cat "$GIT_CONFIG_SYSTEM"; git config --system my.mark' },
      { pushOff },
    );
    expect(await agent.run(aJob())).toMatchObject({ kind: 'finished' });
    expect(named(log())).toEqual(expect.arrayContaining(['OTHER', 'GIT_CONFIG_SYSTEM']));
    expect(log()).toMatch(/\n\tmark = 1\n1\n$/);
    expect(log()).not.toMatch(/^(?:SSH_|GIT_CONFIG_NOSYSTEM)/m);
    expect(existsSync(join(logFolder, 'git-config'))).toBe(false);
  });

  it('keeps all of it with push: true', async () => {
    await (await agentFor({ agentCommand: 'env', push: true }, { pushOff })).run(aJob());
    const there = ['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GIT_CONFIG_NOSYSTEM'];
    expect(named(log())).toEqual(expect.arrayContaining(there));
    expect(log()).not.toContain('GIT_CONFIG_SYSTEM');
  });

  it('gets what `env:` lets through', async () => {
    const env = { allow: ['OTH*', 'API_TOKEN'], deny: ['*TOKEN'] };
    await (await agentFor({ agentCommand: 'env', env, push: true })).run(aJob());
    const names = named(log());
    expect(names).toEqual(expect.arrayContaining(['OTHER', 'PATH', 'HOME', 'SKELETON_RUN_ID']));
    expect(names).not.toContain('API_TOKEN');
    expect(names).not.toContain('SSH_AUTH_SOCK');
  });

  it('prints secrets for its reader only: log and sink get them masked', async () => {
    const seen: string[] = [];
    const sink = (chunk: Uint8Array): void => {
      seen.push(Buffer.from(chunk).toString());
    };
    const agentCommand = 'printf "got $API_TOKEN"; sleep 0.1; echo " and more"';
    await (await agentFor({ agentCommand }, { sink, secrets: [secret] })).run(aJob());
    expect(log()).toBe('got [masked API_TOKEN] and more\n');
    expect(seen.join('')).toBe(log());
  });

  it('is told of the last attempt without its secrets; the task is its own words', async () => {
    const agent = await agentFor({ agentCommand: 'true' }, { secrets: [secret] });
    const feedback = {
      failure: { kind: 'agent-error', detail: `said ${secret.value}` } as const,
      gates: [],
      notices: [`and ${secret.value}`],
    };
    const prompt = await agent.prompt(aJob({ feedback }));
    expect(prompt).toContain(`do ${secret.value}`);
    expect(prompt).toContain('said [masked API_TOKEN]');
    expect(prompt).toContain('- and [masked API_TOKEN]');
    expect(prompt.split(secret.value)).toHaveLength(2);
  });
});

describe('a gate', () => {
  it('gets what `env:` lets through, keeps the SSH agent, and is recorded masked, digest and all', async () => {
    const house = aGateHouse();
    const env = { PATH: process.env['PATH'], A_KEY: secret.value, SSH_AUTH_SOCK: '/s', NO: '1' };
    const more = { env, secrets: [secret] };
    const config = { gates: ['echo "$A_KEY,$SSH_AUTH_SOCK,$NO"'], env: { deny: ['N*'] } };
    try {
      const gates = house.open(config, more);
      const { results } = await gates.run(aGateJob(house, await gates.find(plan, undefined)));
      expect(results[0]?.tail).toBe('[masked API_TOKEN],/s,');
      const masked = house.open({ gates: ["printf '[masked API_TOKEN],/s,\\n'"] }, more);
      const same = await masked.run(aGateJob(house, await masked.find(plan, undefined)));
      expect(results[0]?.digest).toBe(same.results[0]?.digest);
    } finally {
      house.remove();
    }
  });
});
