import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

let repository: UserRepository;
beforeEach(() => {
  repository = makeUserRepository();
  repository.write('PLAN.md', '- [ ] One {#one}\n  gate: test -e special\n- [ ] Two\n');
  repository.write('gates/10-lint.sh', '#!/bin/sh\necho lint is happy\n');
  repository.write('gates/20-tests.sh', '#!/bin/sh\necho "error: 1 test failed"; test -e good\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=setup');
});
afterEach(() => repository.remove());

const everything = (): string =>
  ['for-each-ref', 'status --porcelain=v2 --ignored', 'ls-files --stage', 'stash list']
    .map((args) => repository.git(...args.split(' ')))
    .join('\n');

describe('skeleton gate', () => {
  test('green is 0, with the seconds of each gate, on a tree that is dirty', async () => {
    repository.write('good', '');
    const before = everything();
    const { status, stdout } = await repository.run('gate');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^✔ 10-lint\.sh {2}pass \(exit 0\), [\d.]+s$/m);
    expect(stdout).toMatch(/^✔ 20-tests\.sh {2}pass/m);
    expect(everything()).toBe(before);
  });

  test('red is 1, with the lines that matter; the verdict is never a remembered one', async () => {
    repository.write('good', '');
    await repository.run('gate');
    repository.git('clean', '-fdq');
    const { status, stdout } = await repository.run('gate');
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /✗ 20-tests\.sh {2}fail \(exit 1\), [\d.]+s\n {4}│ error: 1 test failed/,
    );
    expect(stdout).toContain('the gates reject this tree: 20-tests.sh (exit 1)');
  });

  test("only those named, a task's own among them", async () => {
    const lint = await repository.run('gate', '10-lint');
    expect([lint.status, lint.stdout]).toEqual([0, expect.not.stringContaining('20-tests')]);
    const own = await repository.run('gate', 'test -e special');
    expect([own.status, own.stdout]).toEqual([1, expect.stringContaining('✗ test -e special')]);
  });

  test('an unknown name is 2, with the nearest', async () => {
    const { status, stderr } = await repository.run('gate', '10-lnit.sh');
    expect(status).toBe(2);
    expect(stderr).toContain("no gate is called '10-lnit.sh'; did you mean '10-lint.sh'?");
  });

  test('no gate at all is 2; a plan is not needed', async () => {
    repository.git('rm', '--quiet', 'PLAN.md');
    expect(await repository.run('gate', '10-lint')).toMatchObject({ status: 0 });
    repository.git('rm', '--quiet', '-r', 'gates');
    const { status, stderr } = await repository.run('gate');
    expect([status, stderr]).toEqual([2, expect.stringContaining('no gate would judge')]);
  });

  test('a gate that cannot judge is 4', async () => {
    repository.write('gates/20-tests.sh', '#!/bin/sh\nexit 75\n');
    const { status, stdout } = await repository.run('gate');
    expect([status, stdout]).toEqual([
      4,
      expect.stringContaining('! 20-tests.sh  error (exit 75)'),
    ]);
  });

  test('--json is one object', async () => {
    const { status, stdout } = await repository.run('gate', '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'fail',
      status: 1,
      gates: [
        { name: '10-lint.sh', verdict: 'pass', exit: 0 },
        { name: '20-tests.sh', verdict: 'fail', tail: 'error: 1 test failed' },
      ],
    });
  });

  test('runs while another run holds the lock', async () => {
    const agent = repository.agent('sleep 30');
    const { child, ended } = repository.start(['run', '--agent-command', agent, '--json']);
    await new Promise((seen) =>
      child.stdout?.on('data', (text: string) => text.includes('attempt.started') && seen(0)),
    );
    const { status } = await repository.run('gate', '10-lint.sh');
    child.kill('SIGINT');
    await ended;
    expect(status).toBe(0);
  });
});
