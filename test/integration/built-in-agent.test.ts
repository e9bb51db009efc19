import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type * as AgentsRoom from '../../src/agent/agents.ts';
import type { Config } from '../../src/core/config.ts';
import type { AgentEnd } from '../../src/ports.ts';
import { startFakeModel, type FakeModel, type Turn } from '../support/fake-model.ts';
import { aPlan, aTask } from '../support/plans.ts';

/** One step of the built-in agent, as it was built, against a scripted endpoint. */

const { openAgents } = (await import(
  pathToFileURL(resolve('dist/src/agent/agents.js')).href
)) as typeof AgentsRoom;

let root: string;
let top: string;
let model: FakeModel;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'built in ')));
  top = join(root, 'the repo');
  mkdirSync(join(top, '.git'), { recursive: true });
});
afterEach(async () => {
  await model.close();
  rmSync(root, { recursive: true, force: true });
});

const logFolder = (): string => join(top, '.git', 'log');

async function step(turns: readonly Turn[], config: Config = {}, path = ''): Promise<AgentEnd> {
  model = await startFakeModel(turns);
  const agentApi = { api: `${model.url}${path}`, model: 'm', turns: 5 };
  const env = { PATH: process.env['PATH'], HOME: root, OPENAI_API_KEY: 'a key of the test' };
  const places = { top, commonDir: join(top, '.git'), packageRoot: resolve('.') };
  const agents = await openAgents({ ...places, env, config: { ...config, agentApi } });
  const task = aTask('one');
  const [agent] = agents.of(task);
  if (agent === undefined) throw new Error('nobody works here');
  return agent.run({
    ...{ plan: aPlan([task]), task, run: 'r', base: 'c0ffee', token: randomUUID() },
    ...{ attempt: { number: 1, attempt: 1, attempts: 5 }, gates: [], protect: [] },
    ...{ feedback: undefined, logFolder: logFolder(), signal: new AbortController().signal },
  });
}

const hello: Turn = { tool: 'write', input: { path: 'a/hello.txt', content: 'hello\n' } };

describe.each([
  ['OpenAI', '', '/v1/chat/completions', 'authorization', 'Bearer a key of the test'],
  ['Anthropic', '/anthropic', '/anthropic/v1/messages', 'anthropic-version', '2023-06-01'],
])('speaking the protocol of %s', (_, path, asked, header, value) => {
  it('it writes files, and reports its tokens', async () => {
    const end = await step([hello, { text: 'Done.' }], {}, path);
    expect(end).toMatchObject({ kind: 'finished', usage: { input: 200, output: 20 } });
    expect(readFileSync(join(top, 'a/hello.txt'), 'utf8')).toBe('hello\n');
    expect(model.asked.map((one) => one.path)).toEqual([asked, asked]);
    expect(model.asked[0]?.headers[header]).toBe(value);
    expect(model.asked[1]?.body).toContain('wrote 6 bytes');
    const log = readFileSync(join(logFolder(), 'agent.log'), 'utf8');
    expect(log).toContain('"type":"result"');
    expect(log).not.toContain('a key of the test');
  });

  it('a refusal is a failed attempt', async () => {
    const failure = { kind: 'agent-error' };
    const end = await step([{ refused: true }], {}, path);
    expect(end).toMatchObject({ kind: 'failed', failure });
    expect(end.kind === 'failed' && end.ended).toContain('the model refused');
  });
});

const busy: Turn = { status: 429, headers: { 'retry-after-ms': '1' } };

describe('what ends it', () => {
  it.each<[string, Turn, AgentEnd['kind'], string]>([
    ['a key that is not accepted', { status: 401 }, 'signed-out', 'signed out (401'],
    [
      'a prompt that is too long',
      { status: 400, error: { code: 'context_length_exceeded', message: 'too many' } },
      'failed',
      'too long for the model (400: too many)',
    ],
  ])('%s', async (_, turn, kind, words) => {
    const end = await step([turn]);
    expect(end.kind).toBe(kind);
    expect('ended' in end && end.ended).toContain(words);
  });

  it('a 429 that stays says until when', async () => {
    const end = await step([busy, busy, { status: 429, headers: { 'retry-after': '100' } }]);
    const until = end.kind === 'throttled' ? Date.parse(end.until ?? '') : 0;
    expect(Math.abs(until - Date.now() - 100_000)).toBeLessThan(10_000);
  });

  it('an overload without a word of when', async () => {
    const overload: Turn = { status: 529, headers: { 'retry-after-ms': '1' } };
    const end = await step([overload]);
    expect(end).toMatchObject({ kind: 'throttled', why: 'overload' });
    expect('ended' in end && end.ended).toContain('overloaded or cannot be reached (529');
  });

  it('one 429 it gets over by itself', async () => {
    expect((await step([busy, hello, { text: 'Done.' }])).kind).toBe('finished');
    expect(existsSync(join(top, 'a/hello.txt'))).toBe(true);
  });

  it('its limit of turns', async () => {
    const end = await step([{ tool: 'list', input: {} }]);
    expect(end).toMatchObject({ kind: 'failed', usage: { input: 500 } });
    expect('ended' in end && end.ended).toContain('it stopped at its limit: turns');
    expect(model.asked).toHaveLength(5);
  });

  it('a hang is cut', async () => {
    const end = await step([{ hang: true }], { idleTimeout: 1200 });
    expect(end).toMatchObject({ kind: 'failed', failure: { detail: 'idle_timeout: 1.2s' } });
    expect(model.asked).toHaveLength(1);
    // Its process is gone, and so is its request.
    await expect.poll(() => model.waiting()).toBe(0);
  });
});
