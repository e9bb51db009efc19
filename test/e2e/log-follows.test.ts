import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

let user: UserRepository;

beforeEach(() => {
  user = makeUserRepository();
  user.write('gates/check.sh', '#!/bin/sh\ntest -s new.txt\n');
  user.write('PLAN.md', '- [ ] One {#one}\n');
});
afterEach(() => user.remove());

test('log -f waits for a run in another process, shows it, and ends with it', async () => {
  const follower = user.start(['log', '--follow']);
  await said(follower.child.stderr, 'no run is going on (none has been yet)');
  const agent = user.agent('cat >/dev/null; echo new >new.txt');
  expect((await user.run('run', '--agent-command', agent)).status).toBe(0);
  const { status, stdout } = await follower.ended;
  expect(status).toBe(0);
  expect(stdout).toContain('one  attempt 1/5: One');
  expect(stdout).toContain('one  gate check.sh: pass');
  expect(stdout).toContain('skeleton/plan/0001-one (exit 0)');
});

test('log -f --json says when the run has died, and ends with 4; a signal ends it with its own status', async () => {
  const begun = user.agent('cat >/dev/null; exec sleep 60');
  const run = user.start(['run', '--agent-command', begun]);
  await said(run.child.stderr, 'attempt 1/5');
  const follower = user.start(['log', '-f', '--json']);
  await said(follower.child.stdout, '"type":"attempt.started"');
  run.child.kill('SIGKILL');
  await run.ended;
  const { status, stdout, stderr } = await follower.ended;
  expect(status).toBe(4);
  expect(stderr).toContain('has died, and its lock is free');
  const types = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly type: string }).type);
  expect(types[0]).toBe('run.started');
  expect(types).not.toContain('run.finished');
  const waiting = user.start(['log', '-f']);
  await said(waiting.child.stderr, 'is waited for');
  waiting.child.kill('SIGINT');
  expect((await waiting.ended).status).toBe(130);
});

test('log -f ends with the first line that nobody reads any more', async () => {
  const agent = user.agent('cat >/dev/null; sleep 1; echo new >new.txt; exec sleep 60');
  const run = user.start(['run', '--agent-command', agent]);
  await said(run.child.stderr, 'attempt 1/5');
  const follower = user.start(['log', '--follow']);
  await said(follower.child.stdout, 'attempt 1/5');
  follower.child.stdout?.destroy();
  run.child.kill('SIGINT');
  await run.ended;
  expect((await follower.ended).status).toBe(0);
});

test('what a run would do is one object with --json', async () => {
  user.write('PLAN.md', '- [ ] One {#one}\n- [ ] Two {#two}\n');
  const { status, stdout } = await user.run(
    'run',
    '--dry-run',
    '--json',
    '--agent-command',
    'true',
  );
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'dry-run',
    agent: 'command',
    tasks: [
      { id: 'one', title: 'One', needs: [] },
      { id: 'two', title: 'Two', needs: ['one'] },
    ],
    gates: ['check.sh'],
  });
});

/** Resolves once a stream has carried the words. */
function said(stream: NodeJS.ReadableStream | null, words: string): Promise<void> {
  return new Promise((done) => {
    let text = '';
    stream?.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes(words)) done();
    });
  });
}
