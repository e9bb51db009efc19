import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, type TestContext } from 'vitest';
import { readReport, Refusal, runPlan, type Config } from '../../src/index.ts';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

/** What follows a run: on_success and on_failure. */

interface Gone {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly output: string;
}

interface House extends UserRepository {
  readonly env: NodeJS.ProcessEnv;
  readonly noted: (name: string) => string | undefined;
  readonly go: (flags: Config, more?: { signal?: AbortSignal; dryRun?: boolean }) => Promise<Gone>;
}

const works = { agentCommand: 'echo hello > hello.txt' };
const idles = { agentCommand: 'echo x > other.txt' };
const note = (word: string): string =>
  `echo "${word} $SKELETON_RUN_STATUS $SKELETON_PLAN $SKELETON_RUN_ID $PWD" >> "$NOTES/words"`;

function aHouse(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  front: string,
  extra: NodeJS.ProcessEnv = {},
): House {
  const house = makeUserRepository();
  onTestFinished(() => house.remove());
  house.write('PLAN.md', `---\nbaseline: skip\nattempts: 1\n${front}\n---\n- [ ] One\n`);
  house.write('gates/a.sh', '#!/bin/sh\ntest -f hello.txt\n');
  const { outside, top } = house;
  const own = { NOTES: outside, XDG_CONFIG_HOME: join(outside, 'config') };
  const env = { ...process.env, ...own, ...extra };
  const noted = (name: string): string | undefined => {
    const file = join(outside, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  return { ...house, env, noted, go: (flags, more) => goIn(top, env, flags, more) };
}

async function goIn(
  cwd: string,
  env: NodeJS.ProcessEnv,
  flags: Config,
  { signal = new AbortController().signal, dryRun = false } = {},
): Promise<Gone> {
  const warnings: string[] = [];
  const output: string[] = [];
  const ignore = (): void => undefined;
  const io = {
    ...{ onEvent: ignore, onProgress: ignore, onLine: ignore, signal, env },
    onWarning: (text: string) => void warnings.push(text),
    onAfterOutput: (chunk: Uint8Array) => void output.push(new TextDecoder().decode(chunk)),
  };
  const end = (status: number): Gone => ({ status, warnings, output: output.join('') });
  try {
    return end((await runPlan({ cwd, flags, tasks: [], dryRun, verbose: false }, io)).status);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return end(error.status);
  }
}

test.concurrent(
  'on_success gets what report --format json gives, at the top, with its variables',
  async (lease) => {
    const house = aHouse(
      lease,
      `on_success:\n  - cat > "$NOTES/report.json"; echo told\n  - ${JSON.stringify(note('yes'))}\non_failure: ${JSON.stringify(note('no'))}`,
    );
    expect(await house.go(works)).toEqual({ status: 0, warnings: [], output: 'told\n' });
    const { report } = await readReport({ cwd: house.top, env: house.env, texts: 'none' });
    const printed = await house.run('report', '--format', 'json');
    expect(house.noted('report.json')).toBe(printed.stdout);
    expect(house.noted('words')).toBe(`yes 0 PLAN.md ${report.run.run} ${house.top}\n`);
  },
);

test.concurrent(
  'on_failure follows a failed task, and one that was stopped early',
  async (lease) => {
    const house = aHouse(lease, `on_success: exit 9\non_failure: ${JSON.stringify(note('no'))}`);
    expect(await house.go(idles)).toMatchObject({ status: 1, warnings: [] });
    expect(house.noted('words')).toMatch(/^no 1 PLAN\.md \S+ .*my project\n$/);
    const limited = await house.go({ agentCommand: 'sleep 30', maxTime: 300 });
    expect(limited.status).toBe(4);
    expect(house.noted('words')?.split('\n')[1]).toMatch(/^no 4 PLAN\.md /);
  },
);

test.concurrent(
  'one that fails is a warning with its last line; the next one runs, the status stays',
  async (lease) => {
    const house = aHouse(
      lease,
      `on_success: ['echo no room; exit 7', ${JSON.stringify(note('yes'))}]`,
    );
    const { status, warnings } = await house.go(works);
    expect(status).toBe(0);
    expect(warnings).toEqual([
      'on_success: the command ended with exit 7: no room (echo no room; exit 7)',
    ]);
    expect(house.noted('words')).toContain('yes 0');
  },
);

test.concurrent('nothing follows what did nothing: dry, refused, done already', async (lease) => {
  const both = JSON.stringify(note('told'));
  const house = aHouse(lease, `on_success: ${both}\non_failure: ${both}`);
  expect((await house.go(works, { dryRun: true })).status).toBe(0);
  house.write('dirty.txt', 'x');
  expect((await house.go(works)).status).toBe(3);
  expect((await house.go({ agent: 'nobody' })).status).toBe(2);
  expect(house.noted('words')).toBeUndefined();
  expect((await house.go({ ...works, autostash: true })).status).toBe(0);
  expect(house.noted('words')).toMatch(/^told 0 /);
  const before = house.noted('words');
  expect((await house.go({ ...works, autostash: true })).status).toBe(0);
  expect(house.noted('words')).toBe(before);
});

test.concurrent('what an agent writes into the plan is not carried out', async (lease) => {
  const house = aHouse(lease, 'keep_going: true');
  const evil = `printf -- '---\\non_failure: touch "$NOTES/evil"\\n---\\n- [ ] One\\n' > PLAN.md`;
  expect((await house.go({ agentCommand: evil })).status).toBe(1);
  expect(house.noted('evil')).toBeUndefined();
});

test.concurrent(
  'a stop ends what is under way, with all its processes, and nothing more of it runs',
  async (lease) => {
    const house = aHouse(
      lease,
      `on_success: ['touch "$NOTES/begun"; sleep 60', ${JSON.stringify(note('second'))}]`,
    );
    const stop = new AbortController();
    const run = house.go(works, { signal: stop.signal });
    for (let nth = 0; nth < 400 && house.noted('begun') === undefined; nth += 1) await sleep(50);
    stop.abort(130);
    const { status, warnings } = await run;
    expect(status).toBe(0);
    expect(warnings[0]).toMatch(/^on_success: the command was ended with the run/);
    expect(house.noted('words')).toBeUndefined();
  },
);

test.concurrent('secrets are masked in what it gets and prints', async (lease) => {
  const house = aHouse(lease, `on_failure: 'cat; echo "$MY_API_KEY"'`, {
    MY_API_KEY: 'k-8f3a9c2b7d1e4f60',
  });
  house.write('gates/a.sh', '#!/bin/sh\necho "$MY_API_KEY"; exit 1\n');
  const { output } = await house.go(works);
  expect(output).toContain('[masked MY_API_KEY]');
  expect(output).not.toContain('k-8f3a9c2b7d1e4f60');
});
