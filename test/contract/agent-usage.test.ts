import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAgents } from '../../src/agent/agents.ts';
import type { Usage } from '../../src/core/usage.ts';
import type { AgentEnd, AgentJob } from '../../src/ports.ts';
import { answer, fakeClaude, resultLine, says } from '../support/fake-claude.ts';
import { aPlan, aTask } from '../support/plans.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'agent usage ')));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

async function run(script: string, more: Partial<AgentJob> & { limit?: number } = {}) {
  const top = join(root, 'the repo');
  mkdirSync(join(top, '.git'), { recursive: true });
  const bin = fakeClaude(join(root, 'bin'), script);
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: root, ANTHROPIC_API_KEY: 'k' };
  const packageRoot = join(import.meta.dirname, '../..');
  const config = { agent: 'claude', ...(more.limit !== undefined && { timeout: more.limit }) };
  const house = { top, commonDir: join(top, '.git'), packageRoot, env, config };
  const task = aTask('one');
  const [agent] = (await openAgents(house)).of(task);
  await agent?.assertReady();
  const asked: Usage[] = [];
  const job: AgentJob = {
    ...{ plan: aPlan([task]), task, attempt: { number: 1, attempt: 1, attempts: 5 } },
    ...{ run: 'r', base: 'c0ffee', token: randomUUID(), gates: [], protect: [] },
    feedback: undefined,
    logFolder: join(top, '.git/skeleton/logs/r/one/1'),
    signal: new AbortController().signal,
    mayGoOn: (usage) => {
      asked.push(usage);
      return (usage.input ?? 0) < 1000;
    },
    ...more,
  };
  return { end: (await agent?.run(job)) as AgentEnd, asked };
}

describe('what a client reports', () => {
  it('is in the end of its step', async () => {
    const last = resultLine({ input: 1200, output: 80, usd: 0.05 });
    const { end } = await run(says(last), { mayGoOn: undefined });
    expect(end).toMatchObject({ kind: 'finished', session: 's1' });
    expect(end.usage).toEqual({ input: 1200, output: 80, usd: 0.05 });
  });

  it('is a least where it had no time for its sum', async () => {
    const pieces = [answer('m1', 300, 1), answer('m1', 300, 1), answer('m2', 400, 2)];
    const script = [...pieces.map(says), 'sleep 60'].join('\n');
    const { end, asked } = await run(script, { limit: 700 });
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'timed-out' } });
    expect(end.usage).toEqual({ input: 700, output: 3, atLeast: true });
    expect(asked.at(-1)).toMatchObject({ input: 700, output: 3 });
  });

  it('is absent where it reports nothing', async () => {
    expect((await run('exit 3')).end).not.toHaveProperty('usage');
  });

  it('is less what earlier steps of a session took only where the client counts those too', async () => {
    const last = resultLine({ input: 1200, output: 80, usd: 0.05 });
    const { end } = await run(says(last), { session: 's1', sessionUsage: { input: 1000 } });
    expect(end.usage).toMatchObject({ input: 1200 });
  });
});

describe('a step that takes more than it may', () => {
  it('is ended, and nothing of it lives on', async () => {
    const begun = Date.now();
    const { end } = await run([says(answer('m1', 5000, 1)), 'sleep 60'].join('\n'));
    expect(end).toMatchObject({ kind: 'cut', ended: 'cut off at the budget', exit: null });
    expect(end.usage).toEqual({ input: 5000, output: 1, atLeast: true });
    expect(Date.now() - begun).toBeLessThan(15_000);
  });

  it('is finished where that was its last word', async () => {
    const last = resultLine({ input: 5000, output: 80, usd: 9 });
    const { end, asked } = await run([says(last), 'sleep 0.3'].join('\n'));
    expect(end).toMatchObject({ kind: 'finished', usage: { input: 5000, usd: 9 } });
    expect(asked).toHaveLength(1);
  });

  it('is interrupted where a person stops it', async () => {
    const stop = new AbortController();
    setTimeout(() => {
      stop.abort();
    }, 400);
    const script = [says(answer('m1', 5000, 1)), 'sleep 60'].join('\n');
    expect((await run(script, { signal: stop.signal })).end.kind).toBe('interrupted');
  });
});
