import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

let repository: UserRepository;
const value = 'v4lue-of-mine';
/** This one stands in the plan. */
const told = 't0ld-to-all';
const env = { API_TOKEN: value, TOLD_KEY: told };

beforeEach(() => {
  repository = makeUserRepository();
});
afterEach(() => {
  repository.remove();
});

/** Files of the state folder that hold the secret. */
function holders(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(value));
}

test('what a run writes and prints holds no secret of the environment, and a file that does is rejected', async () => {
  repository.write(
    'PLAN.md',
    `---\ngates: [check.sh, {name: says, run: "test -n ${told}"}]\n---\n- [ ] Do ${told} {#one}\n`,
  );
  repository.write(
    'gates/check.sh',
    '#!/bin/sh\necho "gate: $API_TOKEN"; [ "$SKELETON_ATTEMPT" != 2 ]\n',
  );
  const agent = repository.agent(
    '#!/bin/sh\ncat > "$SKELETON_ATTEMPT"\necho "agent: $API_TOKEN"\n[ $SKELETON_ATTEMPT = 1 ] && echo "$API_TOKEN" > leaked\nexit 0\n',
  );
  const args = ['run', '--verbose', '--json', '--agent-command', agent];
  const run = await repository.start(args, env).ended;
  expect([run.status, run.stderr.includes(value), run.stdout.includes(value)]).toEqual([
    ...[0, false, false],
  ]);
  expect(run.stderr).toContain('agent: [masked API_TOKEN]');
  expect(run.stdout).toContain('gate: [masked API_TOKEN]');
  expect(run.stdout).toContain('"kind":"secret"');
  expect(run.stdout).toContain('the value of API_TOKEN');
  expect(holders(join(repository.top, '.git', 'skeleton'))).toEqual([]);
  const second = repository.git('show', 'refs/skeleton/attempts/plan/one/2:2');
  expect(second).toContain('the attempt would commit a secret (the value of API_TOKEN): leaked');
  expect(readFileSync(join(repository.top, '3'), 'utf8')).toContain('gate: [masked API_TOKEN]');
  const proof = repository.git('for-each-ref', '--format=%(contents)', 'refs/skeleton/proof');
  expect(proof).toContain('"command": "test -n [masked TOLD_KEY]"');
  expect(repository.git('log', '-1', '--format=%B')).toMatch(/^Do \[masked TOLD_KEY\]\n/);
  expect(repository.git('log', '--format=%B') + proof).not.toMatch(/v4lue|t0ld/);
});

test('words of a command line come back masked, on both streams', async () => {
  const { stderr, status } = await repository.start(['check', '--plan', `../${value}`], env).ended;
  expect(status).toBe(2);
  expect(stderr).toContain('[masked API_TOKEN]');
  expect(stderr).not.toContain(value);
  repository.write('PLAN.md', `- [ ] Use ${value} {#one}\n`);
  const { stdout } = await repository.start(['check', '--json'], env).ended;
  expect(JSON.parse(stdout)).toMatchObject({ tasks: [{ title: 'Use [masked API_TOKEN]' }] });
});

test('secrets that are long or look like JSON are masked, and --json stays JSON with its handles', async () => {
  const odd = '","id":"x9Kq';
  const long = 'k7Qz/3'.repeat(7000);
  repository.write('PLAN.md', `- [ ] Say ${odd} {#k9-2x7q4}\n`);
  const secrets = {
    ODD_SECRET: odd,
    LONG_SECRET: long,
    ID_TOKEN: 'k9-2x7q1',
    ID2_TOKEN: 'k9-2x7q"',
  };
  const { stdout } = await repository.start(['check', '--json'], secrets).ended;
  const tasks = [{ id: 'k9-2x7q4', title: 'Say [masked ODD_SECRET]' }];
  expect(JSON.parse(stdout)).toMatchObject({ tasks });
  const { stderr } = await repository.start([long], secrets).ended;
  expect(stderr).toContain('[masked LONG_SECRET]');
  expect(stderr).not.toContain('k7Qz');
});

test('a file may hold what the configuration calls no secret', async () => {
  repository.write('PLAN.md', '- [ ] Do it {#one}\n');
  repository.write('.skeleton.yml', "env: { not_secret: 'API_*' }\n");
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  const agent = repository.agent('#!/bin/sh\necho "$API_TOKEN" | tee held\n');
  const run = await repository.start(['run', '--verbose', '--agent-command', agent], env).ended;
  expect([run.status, run.stderr.includes(value)]).toEqual([0, false]);
  expect(readFileSync(join(repository.top, 'held'), 'utf8')).toBe(`${value}\n`);
});

test('an agent pushes nowhere, unless it is allowed to, and nothing of the configuration is noticed', async () => {
  const remote = join(repository.outside, 'remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  repository.git('remote', 'add', 'origin', remote);
  repository.write('PLAN.md', '- [ ] Do it {#one}\n- [ ] Do more {#two}\n');
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  const agent = repository.agent(
    '#!/bin/sh\ncat > "$SKELETON_TASK_ID"\ngit push -q origin HEAD:refs/heads/$SKELETON_TASK_ID\nexit 0\n',
  );
  const args = ['run', '--verbose', '--agent-command', agent];
  const off = await repository.start([...args, 'one']).ended;
  expect(off.status).toBe(0);
  expect(off.stderr).toContain('skeleton-push-is-off: agents do not push');
  expect(off.stderr).not.toMatch(/config.*(?:put back|changed)/);
  expect(execFileSync('git', ['-C', remote, 'branch'], { encoding: 'utf8' })).toBe('');
  repository.write('.skeleton.yml', 'push: true\n');
  expect((await repository.start([...args, 'two']).ended).status).toBe(0);
  expect(execFileSync('git', ['-C', remote, 'branch'], { encoding: 'utf8' }).trim()).toBe('two');
});
