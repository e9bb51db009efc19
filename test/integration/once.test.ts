import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeUserRepository } from '../support/user-repository.ts';
import type { Ended, UserRepository } from '../support/user-repository.ts';

/** `skeleton run --once [KEY]`: the same trigger twice does the work once. */

let repository: UserRepository;
let putBack: () => void;
beforeAll(() => {
  repository = makeUserRepository();
  repository.write('PLAN.md', '- [ ] One {#one}\n- [ ] Two {#two}\n- [ ] Three {#three}\n');
  repository.write('gates/check.sh', '#!/bin/sh\n! test -e two.txt\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  putBack = repository.keep();
});
beforeEach(() => putBack());
afterAll(() => {
  repository.remove();
});

const calls = (): number =>
  existsSync(counted()) ? readFileSync(counted(), 'utf8').trim().split('\n').length : 0;
const counted = (): string => join(repository.outside, 'calls');

function work(...options: readonly string[]): ReturnType<UserRepository['run']> {
  const script = `#!/bin/sh
cat > /dev/null; echo x >> ../outside/calls; echo "$$" > "$SKELETON_TASK_ID.txt"
`;
  const agent = ['--agent-command', repository.agent(script), '--attempts', '1'];
  return repository.run('run', ...agent, ...options);
}

const said = ({ stdout, stderr }: Ended): string => stdout + stderr;
const sameBefore = (status: number): string =>
  `has done the same \\(--once\\), until 20\\d\\d-[\\dT:.-]+Z, with status ${status}`;

test('a run that failed has done it: its status, and the agent is not called', async () => {
  expect((await work('--once')).status).toBe(1);
  expect(calls()).toBe(2);
  const again = await work('--once');
  expect(again.status).toBe(1);
  expect(again.stdout + again.stderr).toMatch(
    new RegExp(`nothing to do: run \\S+ ${sameBefore(1)}`),
  );
  expect(calls()).toBe(2);
  const tags = repository.git('tag', '--list');
  expect((await work()).status).toBe(1);
  expect([calls(), repository.git('tag', '--list')]).toEqual([3, tags]);
});

test('one that passed too, also where ever more of the plan was asked for', async () => {
  expect((await work('one', '--once')).status).toBe(0);
  expect(said(await work('one', '--once'))).toMatch(new RegExp(sameBefore(0)));
  expect(calls()).toBe(1);
  expect((await work('--once')).status).toBe(1);
  expect(calls()).toBe(2);
});

test('what a person commits, another agent and another selection are something else', async () => {
  await work('--once');
  const agent = repository.agent('#!/bin/sh\ncat > /dev/null; echo y > y.txt; exit 1\n');
  const other = await repository.run(
    ...['run', '--agent-command', `${agent} # other`, '--attempts', '1', '--once'],
  );
  expect(said(other)).not.toMatch(/has done the same/);
  repository.write('two.md', 'a person says more\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=more');
  expect(said(await work('--once'))).not.toMatch(/has done the same/);
});

test('with a limit each trigger takes the next', async () => {
  expect((await work('--once', '--limit', '1')).status).toBe(0);
  expect((await work('--once', '--limit', '1')).status).toBe(1);
  expect(said(await work('--once', '--limit', '1'))).toMatch(new RegExp(sameBefore(1)));
  expect(calls()).toBe(2);
});

test('a key of one’s own is what it says, whatever else has changed', async () => {
  expect((await work('one', '--once=build-17')).status).toBe(0);
  expect(said(await work('--once=build-17'))).toMatch(new RegExp(sameBefore(0)));
  expect(calls()).toBe(1);
  expect((await work('--once=build-18')).status).toBe(1);
});

test('one that was stopped has not done it', async () => {
  const stopped = await work('--once=k', '--max-time', '1ms');
  expect(stopped.status).toBe(4);
  const again = await work('--once=k');
  expect([again.status, said(again)]).toEqual([1, expect.not.stringContaining('the same')]);
});

test('one that is under way is named', async () => {
  const slow = repository.agent('#!/bin/sh\ncat > /dev/null; touch begun; sleep 60\n');
  const { child, ended } = repository.start(['run', '--agent-command', slow, '--once=k']);
  while (!existsSync(join(repository.top, 'begun'))) await new Promise((ok) => setTimeout(ok, 50));
  const second = await work('--once=k');
  expect([second.status, second.stderr]).toEqual([
    3,
    expect.stringMatching(new RegExp(`held by process ${child.pid ?? 0} on \\S+ since`)),
  ]);
  child.kill('SIGINT');
  expect((await ended).status).toBe(130);
});
