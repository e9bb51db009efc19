import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, type TestContext } from 'vitest';
import { checkPlan, Refusal, runPlan, type Config, type RunOptions } from '../../src/index.ts';
import { answer, fakeClaude, resultLine, says } from '../support/fake-claude.ts';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

/** Whom a run tells of itself, and what. */

type Lease = Pick<TestContext, 'onTestFinished'>;
type Told = Readonly<Record<string, unknown>>;

interface Gone {
  readonly status: number;
  readonly warnings: readonly string[];
}

interface More extends Partial<RunOptions> {
  readonly signal?: AbortSignal;
}

interface House extends UserRepository {
  readonly env: NodeJS.ProcessEnv;
  readonly told: () => readonly Told[];
  readonly words: () => string;
  readonly go: (flags: Config, more?: More) => Promise<Gone>;
}

const notes = 'cat >> "$NOTES/told"; echo $SKELETON_NOTIFY >> "$NOTES/words"';
const works = { agentCommand: 'echo hello > hello.txt' };
const idles = { agentCommand: 'echo x > other.txt' };

function aHouse({ onTestFinished }: Lease, extra: NodeJS.ProcessEnv = {}): House {
  const house = makeUserRepository();
  onTestFinished(() => house.remove());
  house.write('PLAN.md', '---\nbaseline: skip\nattempts: 1\n---\n- [ ] One\n');
  house.write('.skeleton.yml', `notify: '${notes}'\n`);
  house.write('gates/a.sh', '#!/bin/sh\ntest -f hello.txt\n');
  const linesOf = (name: string): readonly string[] => {
    const file = join(house.outside, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  const { outside, top } = house;
  const own = { NOTES: outside, XDG_CONFIG_HOME: join(outside, 'config') };
  const PATH = `${join(outside, 'bin')}:${process.env['PATH']}`;
  const env = { ...process.env, ...own, PATH, ANTHROPIC_API_KEY: 'k', ...extra };
  return {
    ...house,
    env,
    words: () => linesOf('words').join(' '),
    told: () => linesOf('told').map((line) => JSON.parse(line) as Told),
    go: (flags, more) => goIn(top, env, flags, more),
  };
}

async function goIn(
  cwd: string,
  env: NodeJS.ProcessEnv,
  flags: Config,
  { signal = new AbortController().signal, ...options }: More = {},
): Promise<Gone> {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const io = { onEvent: ignore, onProgress: ignore, onLine: ignore, signal, env };
  const asked = { cwd, flags, tasks: [], dryRun: false, verbose: false, ...options };
  try {
    const { status } = await runPlan(asked, { ...io, onWarning: (text) => warnings.push(text) });
    return { status, warnings };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, warnings };
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let nth = 0; nth < 400 && !isSo(); nth += 1) await sleep(50);
}

test.concurrent(
  'a run that is done: one object, and the word in the environment',
  async (lease) => {
    const house = aHouse(lease);
    expect(await house.go(works)).toEqual({ status: 0, warnings: [] });
    expect(house.words()).toBe('done');
    expect(house.told()).toEqual([
      {
        ...{ schema: 1, event: 'done', status: 0, why: 'done', repository: 'my project' },
        ...{ plan: 'PLAN.md', branch: 'main', text: 'my project, PLAN.md: done (1 passed)' },
        host: expect.stringMatching(/./) as string,
        run: expect.stringMatching(/./) as string,
        seconds: expect.any(Number) as number,
        counts: { passed: 1, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending: 0 },
        last: { tag: 'refs/tags/skeleton/plan/0001-one', commit: house.git('rev-parse', 'HEAD') },
      },
    ]);
  },
);

test.concurrent(
  'a task that failed: gate, attempt, and the command that shows more',
  async (lease) => {
    const house = aHouse(lease);
    expect((await house.go(idles)).status).toBe(1);
    const one = { task: 'one', title: 'One', number: 1, attempt: 1, gates: ['a.sh'] };
    expect(house.told()).toMatchObject([
      {
        ...{ event: 'failed', status: 1, text: 'my project, PLAN.md: failed (1 failed: one)' },
        failed: [{ ...one, why: 'rejected by a.sh', next: 'skeleton show one#1' }],
      },
    ]);
  },
);

test.concurrent('a night that never started is told, whatever kept it', async (lease) => {
  const house = aHouse(lease);
  house.write('dirty.txt', 'x');
  expect((await house.go(works)).status).toBe(3);
  expect((await house.go({ agent: 'nobody' })).status).toBe(2);
  house.write('PLAN.md', '---\nattempts: [\n---\nno task\n');
  expect((await house.go(works)).status).toBe(2);
  expect((await house.go(works, { planPath: 'GONE.md' })).status).toBe(2);
  const told = house.told();
  expect(told.map(({ event, status }) => [event, status])).toEqual(
    [3, 2, 2, 2].map((status) => ['refused', status]),
  );
  expect(told[0]?.['why']).toContain('dirty.txt');
  expect(told[0]?.['mend']).toContainEqual(expect.stringContaining('git stash'));
  expect(told[2]?.['why']).toContain('PLAN.md:');
  expect(told.every((one) => !('run' in one))).toBe(true);
});

test.concurrent(
  'no repository: the own configuration of the user says who is told',
  async (lease) => {
    const house = aHouse(lease);
    house.write('../outside/config/skeleton/config.yml', `notify: '${notes}'\n`);
    expect((await goIn(house.outside, house.env, works)).status).toBe(3);
    expect(house.told()).toMatchObject([{ event: 'refused', status: 3, repository: 'outside' }]);
  },
);

test.concurrent('a budget that is reached has a word of its own', async (lease) => {
  const house = aHouse(lease);
  const usage = { input: 1200, output: 80, usd: 0.05 };
  const script = ['echo hello > hello.txt', says(answer('a', 1200, 80)), says(resultLine(usage))];
  fakeClaude(join(house.outside, 'bin'), script.join('\n'));
  house.write('PLAN.md', '---\nbaseline: skip\n---\n- [ ] One\n- [ ] Two\n');
  expect((await house.go({ agent: 'claude', budget: { usd: 0.05 } })).status).toBe(4);
  expect(house.told()).toMatchObject([
    { event: 'budget', status: 4, usd: 0.05, tokens: 1280, counts: { passed: 1, pending: 1 } },
  ]);
  expect(house.told()[0]?.['why']).toContain('budget of $0.05 is reached');
});

function limitOfAnHour(): string {
  const text = readFileSync(resolve('test/fixtures/agents/claude/limit.json'), 'utf8');
  const { stdout } = JSON.parse(text) as { readonly stdout: readonly string[] };
  const resets = `"resetsAt":${Math.round(Date.now() / 1000) + 3600}`;
  return `${stdout.join('\n').replace(/"resetsAt":\d+/, resets)}\n`;
}

test.concurrent(
  'a long wait is told when it begins; an interruption only who asks',
  async (lease) => {
    const house = aHouse(lease);
    fakeClaude(join(house.outside, 'bin'), 'cat "$NOTES/limit"; exit 1');
    house.write('../outside/limit', limitOfAnHour());
    const targets = [`'${notes}'`, `{ command: 'touch "$NOTES/int"', on: interrupted }`];
    house.write('.skeleton.yml', `notify: [${targets.join(', ')}]`);
    const stop = new AbortController();
    const run = house.go({ agent: 'claude' }, { signal: stop.signal });
    await until(() => house.words() !== '');
    expect(house.told()).toMatchObject([
      { event: 'waiting', waits: { agent: 'claude', task: 'one' } },
    ]);
    expect(house.told()[0]).not.toHaveProperty('status');
    expect(existsSync(join(house.outside, 'int'))).toBe(false);
    stop.abort(143);
    expect((await run).status).toBe(143);
    expect(house.words()).toBe('waiting');
    expect(existsSync(join(house.outside, 'int'))).toBe(true);
  },
);

test.concurrent('a webhook gets the same; its address is nowhere to be read', async (lease) => {
  const hook = await aHook(lease, (reply) => reply.writeHead(204).end());
  const CHAT_WEBHOOK = `${hook.url}/s3cretPathA1b2C3d4E5f6G7`;
  const house = aHouse(lease, { CHAT_WEBHOOK });
  house.write('.skeleton.yml', 'notify: { webhook: $CHAT_WEBHOOK, on: [done] }\n');
  const agentCommand = 'echo hello > hello.txt; echo "$CHAT_WEBHOOK"';
  expect(await house.go({ agentCommand })).toEqual({ status: 0, warnings: [] });
  expect(hook.got).toMatchObject([{ method: 'POST', type: 'application/json', event: 'done' }]);
  expect(readFileSync(logOf(house), 'utf8')).toContain('[masked CHAT_WEBHOOK]');
  const unset = { ...house.env, CHAT_WEBHOOK: '' };
  const { notify, warnings } = await checkPlan({ cwd: house.top, env: unset });
  expect(notify).toEqual(['a webhook at $CHAT_WEBHOOK (done)']);
  expect(warnings).toContain('notify: $CHAT_WEBHOOK is not set, so nobody is told there');
});

test.concurrent(
  'who cannot be told is one line on standard error, and the result stands',
  async (lease) => {
    const away = await aHook(lease, (reply) => reply.writeHead(500).end());
    const house = aHouse(lease);
    const targets = ['"echo no good >&2; exit 7"', '{ webhook: $NOBODY }', `${away.url}/T0/secret`];
    house.write('.skeleton.yml', `notify: [${targets.join(', ')}]\n`);
    const args = ['run', '--json', '--agent-command', works.agentCommand];
    const end = await house.start(args, house.env).ended;
    expect(end.status).toBe(0);
    const lines = end.stderr.split('\n').filter((line) => line.includes('was not told'));
    const at = away.url.slice('http://'.length);
    expect(lines.sort()).toEqual([
      "notice  a command was not told 'done': the command ended with exit 7: no good",
      "notice  a webhook at $NOBODY was not told 'done': $NOBODY is not set",
      `notice  a webhook at ${at} was not told 'done': ${at} answered 500`,
    ]);
    expect(end.stderr).not.toContain('secret');
    expect(end.stdout.trim().split('\n').at(-1)).toContain('"type":"run.finished"');
  },
);

test.concurrent('a dry run, take and verify tell nobody', async (lease) => {
  const house = aHouse(lease);
  expect((await house.go(works, { dryRun: true })).status).toBe(0);
  expect((await house.go(idles)).status).toBe(1);
  house.write('hello.txt', 'mended\n');
  expect((await house.start(['take', 'one'], house.env).ended).status).toBe(0);
  expect((await house.start(['verify'], house.env).ended).status).toBe(0);
  expect(house.words()).toBe('failed');
});

test.concurrent(
  'what an agent writes into notify while it works is not carried out',
  async (lease) => {
    const house = aHouse(lease);
    const evil = 'touch $NOTES/evil';
    house.write('../outside/evil.yml', `notify: '${evil}'\n`);
    const agentCommand = 'cp "$NOTES/evil.yml" .skeleton.yml; touch "$NOTES/begun"; sleep 60';
    const stop = new AbortController();
    const first = house.go({ agentCommand }, { signal: stop.signal });
    await until(() => existsSync(join(house.outside, 'begun')));
    expect(readFileSync(join(house.top, '.skeleton.yml'), 'utf8')).toContain(evil);
    // A second run is refused while the first goes on: the files are as the agent left them.
    expect((await house.go(works)).status).toBe(3);
    stop.abort(143);
    await first;
    expect(house.words()).toBe('refused');
    expect(existsSync(join(house.outside, 'evil'))).toBe(false);
  },
);

function logOf(house: House): string {
  const logs = join(house.top, '.git/skeleton/logs');
  const [run = ''] = readdirSync(logs);
  return join(logs, run, 'one/1/agent.log');
}

interface Hook {
  readonly url: string;
  readonly got: readonly Told[];
}

async function aHook(
  { onTestFinished }: Lease,
  reply: (answer: ServerResponse) => void,
): Promise<Hook> {
  const got: Told[] = [];
  const server = createServer((asked, response) => {
    let body = '';
    asked.setEncoding('utf8').on('data', (text: string) => (body += text));
    asked.once('end', () => {
      const said = JSON.parse(body) as Told;
      got.push({ ...said, method: asked.method, type: asked.headers['content-type'] });
      reply(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}
