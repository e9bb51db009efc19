import { readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, test, type TestContext } from 'vitest';
import { startFakeModel, type FakeModel, type Turn } from '../support/fake-model.ts';
import { makeUserRepository, type Ended, type UserRepository } from '../support/user-repository.ts';

/** The built command with agents by name and the built-in one: their limits, and what it does about them. */

const hello: Turn = { tool: 'write', input: { path: 'hello.txt', content: 'hello\n' } };
const done: Turn = { text: 'Done.' };
const busy = (headers: Readonly<Record<string, string>>): Turn => ({ status: 429, headers });
/** The built-in agent asks three times by itself. */
const asksAgain = busy({ 'retry-after-ms': '1' });

/** Of a test that runs beside others: the house is its own, and goes with it. */
type Lease = Pick<TestContext, 'onTestFinished'>;

function aHouse({ onTestFinished }: Lease, front: string, tasks = '- [ ] One\n'): UserRepository {
  const house = makeUserRepository();
  onTestFinished(() => house.remove());
  house.write('PLAN.md', `---\nbaseline: skip\n${front}\n---\n${tasks}`);
  house.write('gates/a.sh', '#!/bin/sh\ntest -f hello.txt\n');
  return house;
}

async function aModel(
  { onTestFinished }: Lease,
  turns: readonly Turn[],
  models = 200,
): Promise<FakeModel> {
  const model = await startFakeModel(turns, { models });
  onTestFinished(() => model.close());
  return model;
}

interface Told {
  readonly type: string;
  readonly attempt?: number;
  readonly agent?: string;
  readonly usage?: object;
}

const eventsOf = ({ stdout }: Ended): readonly Told[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told);
const of = (events: readonly Told[], type: string): readonly Told[] =>
  events.filter((event) => event.type === type);
const linesWith = (word: string, { stderr }: Ended): readonly string[] =>
  stderr.split('\n').filter((line) => line.includes(word));

describe.concurrent('the built-in agent', () => {
  test('passes a task because it wrote the file; a limit of 2 s is waited for and costs nothing', async (lease) => {
    const limited = [asksAgain, asksAgain, busy({ 'retry-after': '2' })];
    const model = await aModel(lease, [...limited, hello, done]);
    const house = aHouse(lease, `agent: {api: ${model.url}, model: m}`);
    const began = Date.now();
    const end = await house.run('run', '--json');
    expect([end.status, end.status === 0 ? '' : end.stderr]).toEqual([0, '']);
    expect(Date.now() - began).toBeGreaterThan(2000);
    expect(linesWith('rate limited', end)).toEqual([
      expect.stringMatching(/built-in is rate limited until \d\d:\d\d; waiting$/),
    ]);
    const events = eventsOf(end);
    expect(of(events, 'attempt.started')).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
    expect(of(events, 'agent.finished').at(-1)?.usage).toEqual({ input: 200, output: 20 });
    expect(house.git('show', 'HEAD:hello.txt')).toBe('hello');
  });

  test('is not waited for beyond max_wait: 4 at once, resumable', async (lease) => {
    const model = await aModel(lease, [asksAgain, asksAgain, busy({ 'retry-after': '3600' })]);
    const house = aHouse(lease, `agent: {api: ${model.url}, model: m}`);
    const end = await house.run('run', '--max-wait', '1s');
    expect(end.status).toBe(4);
    expect(linesWith('beyond max_wait', end)).toEqual([
      expect.stringMatching(/one {2}stopped .*is rate limited until .* UTC; .*\(1s in all\)$/),
    ]);
    expect(linesWith('(exit 4)', end)[0]).toContain('stopped: a limit was reached');
    expect(linesWith('next:', end)[0]).toContain('skeleton run');
  });

  test.for([
    [{ status: 401 }, 'signed out (401', 'set OPENAI_API_KEY, or key_env: VARIABLE'],
    [{ status: 404 }, 'unknown model (404', '--model NAME, or `model:`'],
  ] as const)(
    'that cannot go on (%j) is 4, and says what to do',
    async ([turn, what, mend], lease) => {
      const model = await aModel(lease, [hello, turn]);
      const end = await aHouse(lease, `agent: {api: ${model.url}, model: m}`).run('run');
      expect(end.status).toBe(4);
      const [line = ''] = linesWith('one  stopped', end);
      expect(line).toContain(`built-in: ${what}`);
      expect(line).toContain(mend);
      expect(linesWith('(exit 4)', end)[0]).toContain(
        'the agent cannot work before that is mended',
      );
    },
  );

  test('that cannot begin is told before anything is touched', async (lease) => {
    const model = await aModel(lease, [hello, done], 401);
    const house = aHouse(lease, `agent: {api: ${model.url}, model: m}`);
    const refused = await house.run('run');
    expect(refused.status).toBe(3);
    expect(refused.stderr).toContain(`${model.url}/v1 does not accept the key (401)`);
    expect(refused.stderr).toContain('set OPENAI_API_KEY');
    await model.close();
    const gone = await house.run('run');
    expect(gone.status).toBe(3);
    expect(gone.stderr).toContain(`nothing answers at ${model.url}/v1 (ECONNREFUSED)`);
    house.write('PLAN.md', `---\nagent: {api: ${model.url}}\n---\n- [ ] One\n`);
    const nameless = await house.run('run');
    expect(nameless.status).toBe(2);
    expect(nameless.stderr).toContain('the built-in agent needs a model');
    expect(house.git('log', '--oneline').split('\n')).toHaveLength(1);
    expect(model.asked).toEqual([]);
  });
});

const recorded = (path: string): string =>
  (
    JSON.parse(readFileSync(resolve('test/fixtures/agents', path), 'utf8')) as {
      stdout: readonly string[];
    }
  ).stdout.join('\n');

/** Clients on PATH that print what the real ones printed. */
function install(house: UserRepository, name: string, script: string): NodeJS.ProcessEnv {
  house.write(join('..', 'bin', name), `#!/bin/sh\n${script}\n`);
  const PATH = [join(house.top, '..', 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  const key = 'a key of the test';
  return { PATH, OUTSIDE: house.outside, ANTHROPIC_API_KEY: key, CODEX_API_KEY: key };
}

test.concurrent(
  'a fallback goes on meanwhile; the first agent is back when its limit is over',
  async (lease) => {
    const house = aHouse(lease, 'agent: claude\nfallback: [codex]', '- [ ] One\n- [ ] Two\n');
    const limit = recorded('claude/limit.json').replace(/"resetsAt":\d+/, '"resetsAt":RESET');
    house.write('../outside/limit', `${limit}\n`);
    house.write('../outside/claude', `${recorded('claude/success.json')}\n`);
    house.write('../outside/codex', `${recorded('codex/success.json')}\n`);
    install(
      house,
      'claude',
      `cat >/dev/null
if mkdir "$OUTSIDE/limited" 2>/dev/null; then
  reset=$(($(date +%s) + 5)); echo $reset >"$OUTSIDE/reset"
  sed "s/RESET/$reset/" "$OUTSIDE/limit"; exit 1
fi
echo claude >>hello.txt; cat "$OUTSIDE/claude"`,
    );
    const env = install(
      house,
      'codex',
      `cat >/dev/null; while [ $(date +%s) -le $(cat "$OUTSIDE/reset") ]; do sleep 0.2; done
echo codex >>hello.txt; cat "$OUTSIDE/codex"`,
    );
    const end = await house.start(['run', '--json'], env).ended;
    expect([end.status, end.status === 0 ? '' : end.stderr]).toEqual([0, '']);
    const events = eventsOf(end);
    expect(of(events, 'attempt.started')).toMatchObject([
      { agent: 'claude', attempt: 1 },
      { agent: 'codex', attempt: 1 },
      { agent: 'claude', attempt: 1 },
    ]);
    expect(of(events, 'agent.finished').slice(1)).toMatchObject([
      { usage: { input: 2400, output: 160 } },
      { usage: { input: 2800, output: 160, usd: expect.any(Number) as number } },
    ]);
    expect(house.git('show', 'HEAD:hello.txt')).toBe('codex\nclaude');
  },
);
