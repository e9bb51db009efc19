import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAgents } from '../../src/agent/agents.ts';
import type { AgentHouse } from '../../src/agent/run-agent.ts';
import type { Config } from '../../src/core/config.ts';
import { Refusal, type Agent, type AgentEnd, type AgentJob } from '../../src/ports.ts';
import { aPlan, aTask } from '../support/plans.ts';

let root: string;
let top: string;
let logFolder: string;
const packageRoot = join(import.meta.dirname, '../..');

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'agent contract ')));
  top = join(root, 'the repo');
  logFolder = join(top, '.git/skeleton/logs/r/one/1');
  mkdirSync(join(top, '.git'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function open(
  config: Config,
  more: Partial<AgentHouse> = {},
): Pick<Agent, 'assertReady' | 'prompt' | 'key' | 'run'> & {
  readonly name: () => Promise<string>;
} {
  const env = { PATH: process.env['PATH'], HOME: root, GIT_DIR: '/x', OTHER: '1' };
  const house = { top, commonDir: join(top, '.git'), packageRoot, env, config, ...more };
  const agent = async (): Promise<Agent> => {
    const [first] = (await openAgents(house)).of(aTask('one'));
    if (first === undefined) throw new Error('nobody works here');
    return first;
  };
  return {
    name: async () => (await agent()).name,
    assertReady: async () => (await agent()).assertReady(),
    prompt: async (job) => (await agent()).prompt(job),
    key: async (job, trees) => (await agent()).key(job, trees),
    run: async (job) => (await agent()).run(job),
  };
}

function aJob(more: Partial<AgentJob> = {}): AgentJob {
  const task = more.task ?? aTask('one');
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

const run = async (agentCommand: string, more: Config = {}): Promise<AgentEnd> =>
  open({ agentCommand, ...more }).run(aJob());
const log = (): string => readFileSync(join(logFolder, 'agent.log'), 'utf8');

async function refusal(config: Config, more: Partial<AgentHouse> = {}): Promise<Refusal> {
  const thrown: unknown = await open(config, more)
    .assertReady()
    .catch((error: unknown) => error);
  if (thrown instanceof Refusal) return thrown;
  throw new Error(`no refusal: ${String(thrown)}`);
}

describe('the agent’s step', () => {
  it('gets the prompt on standard input, and as the file that SKELETON_PROMPT_FILE names', async () => {
    const end = await run(
      'tee given; cmp given "$SKELETON_PROMPT_FILE" && echo "$SKELETON_PROMPT_FILE" && pwd',
    );
    expect(end).toMatchObject({ kind: 'finished', ended: 'exit 0', log: 'logs/r/one/1/agent.log' });
    const prompt = await open({ agentCommand: 'x' }).prompt(aJob());
    expect(readFileSync(join(top, 'given'), 'utf8')).toBe(prompt);
    expect(log()).toBe(`${prompt}${logFolder}/prompt.md\n${top}\n`);
  });

  it('knows the facts of the attempt, and none of git’s own variables', async () => {
    const task = aTask('--force', { title: 'a\0b\nc' });
    await open({ agentCommand: 'env' }).run(aJob({ task }));
    const lines = [
      'SKELETON_RUN_ID=r',
      'SKELETON_PLAN=PLAN.md',
      'SKELETON_TASK_ID=--force',
      'SKELETON_TASK_TITLE=a␀b\nc',
      'SKELETON_ATTEMPT=2',
      'SKELETON_ATTEMPTS=5',
      'SKELETON_BASE=c0ffee',
      'OTHER=1',
    ];
    for (const line of lines) expect(log()).toContain(`${line}\n`);
    expect(log()).not.toMatch(/GIT_DIR|SKELETON_CHANGED_FILES/);
  });

  it('starts with a title of a megabyte and a prompt of ten', async () => {
    const task = aTask('x', { title: 't'.repeat(1e6), text: 'x'.repeat(1e7) });
    const end = await open({ agentCommand: 'wc -c' }).run(aJob({ task }));
    expect(end.kind).toBe('finished');
    expect(Number(log())).toBeGreaterThan(1e7);
  });

  it('may leave its standard input unread', async () => {
    const task = aTask('x', { text: 'x'.repeat(1e6) });
    expect((await open({ agentCommand: 'exec true' }).run(aJob({ task }))).kind).toBe('finished');
  });

  it.each([
    ['exit 3', { ended: 'exit 3', exit: 3, failure: { kind: 'agent-error', detail: 'exit 3' } }],
    ['kill -KILL $$', { exit: null, failure: { kind: 'agent-error', detail: 'signal SIGKILL' } }],
    ['no-such-agent', { exit: 127, failure: { kind: 'agent-error', detail: 'not found' } }],
    ['/etc/passwd', { exit: 126, failure: { kind: 'agent-error', detail: 'not executable' } }],
    ['exit 75', { exit: 75, failure: { kind: 'agent-error', detail: 'exit 75' } }],
  ])('fails with: %s', async (command, end) => {
    expect(await run(command)).toMatchObject({ kind: 'failed', ...end });
  });

  it('runs out of time, by the task’s own limit first', async () => {
    const failure = { kind: 'timed-out', detail: 'timeout: 0.2s' };
    const end = { kind: 'failed', ended: 'timeout after 0.2s', exit: null, failure };
    expect(await run('sleep 60', { timeout: 200 })).toMatchObject(end);
    const task = aTask('one', { config: { timeout: 200 } });
    const agent = open({ agentCommand: 'sleep 60', timeout: 60_000 });
    expect(await agent.run(aJob({ task }))).toMatchObject(end);
  });

  it('is idle when it says nothing for too long', async () => {
    const failure = { kind: 'idle', detail: 'idle_timeout: 0.3s' };
    expect(await run('echo begun; sleep 60', { idleTimeout: 300 })).toMatchObject({ failure });
  });

  it('is interrupted', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 150);
    const end = await open({ agentCommand: 'sleep 60' }).run(aJob({ signal: controller.signal }));
    expect(end).toMatchObject({ kind: 'interrupted', log: 'logs/r/one/1/agent.log' });
  });

  it('shows its output only to whom asks for it', async () => {
    const chunks: Uint8Array[] = [];
    const sink = (chunk: Uint8Array): void => void chunks.push(Uint8Array.from(chunk));
    await open({ agentCommand: 'echo out; echo err >&2' }, { sink }).run(aJob());
    expect(Buffer.concat(chunks).toString()).toBe('out\nerr\n');
  });

  it('writes its prompt through no link that was planted', async () => {
    mkdirSync(logFolder, { recursive: true });
    writeFileSync(join(root, 'precious'), 'mine');
    symlinkSync(join(root, 'precious'), join(logFolder, 'prompt.md'));
    await run('true');
    expect(readFileSync(join(root, 'precious'), 'utf8')).toBe('mine');
  });
});

describe('before anything is touched', () => {
  it.each(['sh', 'true; false', 'A=1 no-such-agent', '"$HOME/agent"', '~/agent', 'exec agent'])(
    'accepts what is there, or what only a shell can tell: %s',
    async (agentCommand) => {
      await expect(open({ agentCommand }).assertReady()).resolves.toBeUndefined();
      expect(existsSync(logFolder)).toBe(false);
    },
  );

  it('refuses a program that is missing, naming it', async () => {
    const missing = await refusal({ agentCommand: 'no-such-agent -p --model x' });
    expect(missing.status).toBe(3);
    expect(missing.message).toBe("the agent's command no-such-agent is not on PATH");
    expect(missing.mend).toContain('--agent-command');
    writeFileSync(join(top, 'agent.sh'), 'exit 0');
    expect((await refusal({ agentCommand: './agent.sh' })).message).toContain(
      'may not be executed',
    );
  });

  it('takes the only client that is installed, and refuses to choose among several or none', async () => {
    const PATH = join(root, 'bin');
    mkdirSync(PATH);
    const none = await refusal({}, { env: { PATH } });
    expect(none).toMatchObject({ status: 3 });
    expect(none.message).toContain('none that is known is installed');
    const install = (name: string): void => {
      writeFileSync(join(PATH, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    };
    install('codex');
    expect(await open({}, { env: { PATH } }).name()).toBe('codex');
    install('gemini');
    const several = await refusal({}, { env: { PATH } });
    expect(several).toMatchObject({ status: 3 });
    expect(several.message).toContain('codex, gemini');
  });

  it('refuses a known client that is not there, and a name that nobody knows', async () => {
    expect(await refusal({ agent: 'claude' }, { env: { PATH: root } })).toMatchObject({
      status: 3,
    });
    const unknown = await refusal({ agent: 'cladue' });
    expect(unknown).toMatchObject({ status: 2 });
    expect(unknown.message).toContain('did you mean claude?');
  });

  it('is named by its program', async () => {
    expect(await open({ agentCommand: '/opt/bin/my-agent -p' }).name()).toBe('my-agent');
    expect(await open({ agentCommand: 'A=1 "$B"' }).name()).toBe('command');
  });
});

describe('the template', () => {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  const prompt = async (config: Config = {}): Promise<string> =>
    open({ agentCommand: 'sh', ...config }).prompt(aJob());

  it('is the shipped one, else the repository’s, else the one that is named', async () => {
    expect(await prompt()).toMatch(/^You are /);
    write('.skeleton/prompts/task.md', 'Ours {{attempt}} {{task}}');
    expect(await prompt()).toBe('Ours 2 - [ ] Make one\n');
    write('prompts/other.md', 'Named {{id}} {{task}}');
    expect(await prompt({ prompt: 'prompts/other.md' })).toBe('Named one - [ ] Make one\n');
  });

  it.each([
    [
      'an unknown hole',
      'a\n{{tusk}} {{task}}',
      '.skeleton/prompts/task.md:2: nothing is known for {{tusk}}',
    ],
    ['no task', 'do it', '.skeleton/prompts/task.md:1: {{task}} is missing'],
    ['no end', `{{task}}${'x'.repeat(300_000)}`, 'larger than'],
  ])('is refused for %s', async (_, text, message) => {
    write('.skeleton/prompts/task.md', text);
    const refused = await refusal({ agentCommand: 'sh' });
    expect(refused.status).toBe(2);
    expect(refused.message).toContain(message);
  });

  it('is refused where it is no plain file of the repository, without waiting for it', async () => {
    const config = { agentCommand: 'sh', prompt: 'p.md' };
    expect((await refusal(config)).message).toBe('prompt: p.md is not there');
    execFileSync('mkfifo', [join(top, 'p.md')]);
    expect((await refusal(config)).message).toBe('p.md is no plain file');
    rmSync(join(top, 'p.md'));
    symlinkSync('/etc/passwd', join(top, 'p.md'));
    expect((await refusal(config)).message).toBe('p.md is no plain file');
    symlinkSync('/etc', join(top, 'linked'));
    expect((await refusal({ ...config, prompt: 'linked/passwd' })).message).toContain(
      'behind a link',
    );
    expect((await refusal({ ...config, prompt: '../x' })).message).toContain(
      'outside of the work tree',
    );
  });
});

describe('the key of an attempt', () => {
  const trees = { base: 'b' };
  const keyOf = (job: Partial<AgentJob> = {}, config: Config = {}): Promise<string> =>
    open({ agentCommand: 'x', ...config }).key(aJob(job), trees);

  function told(tail: string, log: string): Partial<AgentJob> {
    const gate = { name: 'g', command: 'g', verdict: 'fail', ended: 'exit 1', exit: 1 } as const;
    const more = { seconds: 1, soft: false, digest: 'sha256:0', tail, log };
    return {
      feedback: {
        failure: { kind: 'gate-failed', gates: ['g'] },
        gates: [{ ...gate, ...more }],
        notices: [log],
      },
    };
  }

  it('is the same in another run, whatever numbers and folders its gates have printed', async () => {
    const key = await keyOf(told(`1 of 2 in 0.3 s, see ${top}/a`, 'logs/r/one/1/g.log'));
    expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
    const other = { run: 'r2', token: 'other', base: 'other', logFolder: '/elsewhere' };
    const again = told('2 of 7 in 1.4 s, see ./a', 'logs/r2/one/4/g.log');
    expect(await keyOf({ ...again, ...other })).toBe(key);
    expect(await keyOf(told('none of two', ''))).not.toBe(key);
  });

  it('is another for another task, template, command, model, or rule of the environment', async () => {
    mkdirSync(join(top, '.skeleton/prompts'), { recursive: true });
    const mine = '.skeleton/prompts/task.md';
    const keys = [
      await keyOf(),
      await keyOf({ task: aTask('one', { text: 'other' }) }),
      await keyOf({}, { agentCommand: 'y' }),
      await keyOf({ model: 'large' }),
      await keyOf({}, { env: { deny: ['A'] } }),
      await keyOf({}, { push: true }),
    ];
    writeFileSync(join(top, mine), 'Do {{task}}');
    keys.push(await keyOf());
    expect(new Set(keys).size).toBe(keys.length);
    expect(await keyOf({}, { timeout: 1000 })).toBe(keys.at(-1));
  });
});
