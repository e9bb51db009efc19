import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { action, commandsIn, outputsIn, runAction, workflowSteps } from '../support/ci-runner.ts';
import type { Command } from '../support/ci-runner.ts';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

let house: UserRepository;

beforeEach(() => {
  house = makeUserRepository();
  mkdirSync(join(house.top, 'src'));
  house.write('src/a.ts', 'const a = 1;\nconst b = 2;\n');
});
afterEach(() => house.remove());

function commit(): void {
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=ground');
}

const annotations = (commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ name }) => ['error', 'warning', 'notice'].includes(name));

/** Everything that a runner could take for an order, each with what a test looks for. */
const hostile = [
  '::error file=src/a.ts,line=1::PWNED',
  '  \\t::set-output name=passed::PWNED',
  'x\\r::add-mask::PWNED',
  'x ##[set-env name=PATH]PWNED',
  '::stop-commands::PWNED',
  '\\302\\205::warning::PWNED',
  '::endgroup::',
].join('\\n');

test('gate: each gate is folded, the lines it names are annotated, and its output commands nothing', async () => {
  house.write(
    'gates/lint.sh',
    `#!/bin/sh\nprintf '${hostile}\\n'\necho "src/a.ts:2:7: warning: unused, b: 100% [no-unused]"\necho "$PWD/src/a.ts(1,1): error TS1: bad"\necho 'gone.ts:1:1: error: x'\nln -s "${house.outside}" out; ln -s src/a.ts l.ts\necho 'out/secret.ts:1: error: x'; echo 'l.ts:1: error: x'\nexit 1\n`,
  );
  house.write('gates/test.sh', '#!/bin/sh\necho fine\n');
  // Behind a link that leads out of the work tree.
  writeFileSync(join(house.outside, 'secret.ts'), 'x\n');
  const { status, commands, summary, outputs, log } = await runAction(house.top, house.outside, {});
  expect({ status, log }).toMatchObject({ status: 1 });
  expect(annotations(commands)).toEqual([
    {
      name: 'warning',
      properties: { file: 'src/a.ts', line: '2', col: '7', title: 'lint.sh: no-unused' },
      data: 'unused, b: 100%',
    },
    {
      name: 'error',
      properties: { file: 'src/a.ts', line: '1', col: '1', title: 'lint.sh: TS1' },
      data: 'bad',
    },
  ]);
  const others = commands.filter((one) => !annotations(commands).includes(one));
  expect(others.map(({ name, data }) => `${name} ${data}`)).toEqual([
    ...['group gate lint.sh', 'endgroup ', 'group gate test.sh', 'endgroup '],
  ]);
  expect(log).toContain(': :stop-commands::PWNED');
  expect(outputs).toEqual({ passed: '1', failed: '1' });
  expect(summary).toContain('**skeleton gate**: the gates reject this tree: lint.sh');
  expect(summary).toMatch(/\| <code>lint.sh<\/code> \| ❌ fail \| exit 1 \|/);
  expect(summary).toContain('error TS1: bad');
});

test('run, without an identity: only what failed for good is an error; outputs and summary tell of tasks', async () => {
  house.write(
    'gates/a.sh',
    `#!/bin/sh\nif grep -n bad work; then echo 'work:1: error: it is bad'; exit 1; fi\n`,
  );
  house.write('PLAN.md', '- [ ] One <b>bold</b> | `x`\n- [ ] Two {#two}\n');
  commit();
  const agent = house.agent(
    `cat >/dev/null; case $SKELETON_TASK_ID-$SKELETON_ATTEMPT in two-*|*-1) echo bad-$SKELETON_ATTEMPT >work;; *) echo good >work;; esac`,
  );
  const inputs = {
    command: 'run',
    'agent-command': agent,
    args: '--attempts=2\r\n\r\n--keep-going\r\n',
  };
  const { status, commands, summary, outputs, log } = await runAction(
    house.top,
    house.outside,
    inputs,
    { GIT_CONFIG_GLOBAL: '/dev/null' },
  );
  expect({ status, log }).toMatchObject({ status: 1 });
  expect(house.git('log', '-1', '--format=%ae')).toBe('skeleton@users.noreply.github.com');
  expect(annotations(commands)).toEqual([
    {
      name: 'error',
      properties: { title: 'task two' },
      data: expect.stringContaining('a.sh') as string,
    },
    {
      name: 'error',
      properties: { file: 'work', line: '1', title: 'a.sh' },
      data: 'it is bad',
    },
  ]);
  expect(commands.filter(({ name }) => name === 'group')).toHaveLength(4);
  const tag = house.git('tag', '--list', '*-one-*');
  expect(outputs).toEqual({ passed: '1', failed: '1', 'last-checkpoint': tag });
  expect(tag).toMatch(/^skeleton\/plan\/0001-one/);
  expect(summary).toContain('**1 passed, 1 failed**');
  expect(summary).toContain('it is bad');
  expect(summary).not.toContain('<b>');
});

test('verify: outputs and summary tell of checkpoints', async () => {
  house.write('gates/a.sh', '#!/bin/sh\ntest ! -e fail\n');
  house.write('PLAN.md', '- [ ] One\n');
  commit();
  const agent = house.agent('cat >/dev/null; echo x >x');
  expect((await house.run('run', '--agent-command', agent)).status).toBe(0);
  const { status, summary, outputs, log } = await runAction(house.top, house.outside, {
    command: 'verify',
    args: '1',
  });
  expect({ status, log }).toMatchObject({ status: 0 });
  const tag = house.git('tag', '--list', '*-one');
  expect(outputs).toEqual({ passed: '1', failed: '0', 'last-checkpoint': tag });
  expect(summary).toContain('✅ holds');
});

test('no input is ever part of a script, and none of them is run', async () => {
  for (const { run } of [...action.runs.steps, ...workflowSteps()])
    expect(run ?? '').not.toContain('${{');
  house.write('gates/a.sh', '#!/bin/sh\n:\n');
  const evil = `$(touch "${house.outside}/pwned"); touch '${house.outside}/pwned' #"`;
  for (const names of [['command'], ['working-directory'], ['plan', 'agent-command', 'args']]) {
    const inputs = Object.fromEntries(names.map((name) => [name, evil]));
    const { status } = await runAction(house.top, house.outside, { command: 'run', ...inputs });
    expect([names, status]).not.toEqual([names, 0]);
  }
  expect(existsSync(join(house.outside, 'pwned'))).toBe(false);
});

test('with --json standard output is JSON alone, whole, and no line of it a command', async () => {
  house.write(
    'gates/a.sh',
    `#!/bin/sh\nprintf 'src/a.ts:1:1: ##[error]PWNED ##vso[task.x]\\n'\nexit 1\n`,
  );
  const { status, stdout, stderr } = await house.start(['gate', '--json'], {
    GITHUB_ACTIONS: 'true',
  }).ended;
  expect(status).toBe(1);
  expect(stdout).not.toMatch(/##(?:\[|vso)/);
  const { gates } = JSON.parse(stdout) as { readonly gates: readonly { readonly tail: string }[] };
  expect(gates[0]?.tail).toBe('src/a.ts:1:1: ##[error]PWNED ##vso[task.x]');
  expect(stderr).toMatch(/^::error file=src\/a\.ts/m);
});

test('a summary that cannot be written is told, and changes nothing', async () => {
  house.write('gates/a.sh', '#!/bin/sh\n:\n');
  const output = join(house.outside, 'output');
  const { ended } = house.start(['gate'], {
    ...{ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: house.outside, GITHUB_OUTPUT: output },
  });
  const { status, stderr } = await ended;
  expect(status).toBe(0);
  expect(stderr).toContain('skeleton: GITHUB_STEP_SUMMARY could not be written: EISDIR');
  expect(outputsIn(readFileSync(output, 'utf8'))).toEqual({ passed: '1', failed: '0' });
});

test('a pipe in the place of those files is told, and nobody waits for it; a device takes what it is given', async () => {
  house.write('gates/a.sh', '#!/bin/sh\n:\n');
  const [pipe, link] = ['pipe', 'link'].map((name) => join(house.outside, name)) as [
    string,
    string,
  ];
  execFileSync('mkfifo', [pipe]);
  symlinkSync(pipe, link);
  for (const [output, summary, told] of [
    [pipe, link, ['SUMMARY could not be written: it is a pipe', 'OUTPUT could not be written: it']],
    ['/dev/null', '/dev/full', ['SUMMARY could not be written: ENOSPC']],
  ] as const) {
    const files = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
    const { child, ended } = house.start(['gate'], { GITHUB_ACTIONS: 'true', ...files });
    onTestFinished(() => void child.kill('SIGKILL'));
    const { status, stderr } = await ended;
    expect(status).toBe(0);
    expect(stderr.match(/could not be written/g)).toHaveLength(told.length);
    for (const words of told) expect(stderr).toContain(words);
  }
});

test('an agent shown with --verbose commands nothing, even in the middle of a line', async () => {
  house.write('gates/a.sh', '#!/bin/sh\n:\n');
  house.write('PLAN.md', '- [ ] One\n');
  commit();
  const agent = house.agent(
    `cat >/dev/null; printf ':'; sleep 0.2; printf ':error::PWNED\\n#'; sleep 0.2; printf '#[error]PWNED'; echo x >x`,
  );
  const env = { GITHUB_ACTIONS: 'true' };
  const { ended } = house.start(['run', '--verbose', '--agent-command', agent], env);
  const { status, stderr } = await ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain(': :error::PWNED\n# #[error]PWNED\n');
  expect(commandsIn(stderr).map(({ name }) => name)).toEqual(['group', 'endgroup']);
});

test('gate on Azure: groups, issues and variables, and no order of a gate', async () => {
  house.write('gates/a.sh', `#!/bin/sh\necho '##vso[task.x]y'\necho 'src/a.ts:1: bad'\nexit 1\n`);
  const { stdout } = await house.start(['gate'], { TF_BUILD: 'True' }).ended;
  expect(stdout).toContain(
    '##[group]gate a.sh\n# #vso[task.x]y\nsrc/a.ts:1: bad\n##[endgroup]\n✗ a.sh  fail',
  );
  expect(stdout.split('\n').filter((line) => line.startsWith('##vso'))).toEqual([
    '##vso[task.logissue type=error;sourcepath=src/a.ts;linenumber=1;]a.sh: bad',
    '##vso[task.setvariable variable=passed;isOutput=true]0',
    '##vso[task.setvariable variable=failed;isOutput=true]1',
  ]);
});

test('take: a red verdict is an error of the job', async () => {
  house.write('gates/a.sh', `#!/bin/sh\necho 'src/a.ts:2: bad'\nexit 1\n`);
  house.write('PLAN.md', '- [ ] One\n');
  commit();
  house.write('src/a.ts', 'x\n');
  const { status, stderr } = await house.start(['take', 'one'], { GITHUB_ACTIONS: 'true' }).ended;
  expect({ status, stderr }).toMatchObject({ status: 1 });
  expect(stderr).toContain('::error file=src/a.ts,line=2,title=a.sh::bad');
});
