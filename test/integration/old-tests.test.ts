import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

const plan = (more = ''): string => `---\ntests: ["test/**"]\n---\n- [ ] Make one {#one}\n${more}`;

let repository: UserRepository;
beforeEach(() => {
  repository = makeUserRepository();
  repository.write('PLAN.md', plan());
  repository.write('code', '1\n');
  repository.write('test/code.test.js', 'it("is one", () => {}); // 1\n');
  repository.write(
    'gates/tests.sh',
    '#!/bin/sh\n! test -e test/code.test.js || grep -q "// $(cat code)$" test/code.test.js || { echo "error: expected $(cat code)"; exit 1; }\n',
  );
  repository.git('add', 'code', 'test');
  repository.git('commit', '--quiet', '--message=code');
});
afterEach(() => repository.remove());

const run = (agent: string): ReturnType<UserRepository['run']> =>
  repository.run(
    'run',
    '--attempts',
    '1',
    '--agent-command',
    repository.agent(`cat > /dev/null; ${agent}`),
  );

/** What the scripted agent plants, spelt in two: no test of ours is left out or singled out. */
const [skip, only] = ['skip', 'only'];

describe('with tests:', () => {
  test('code that passes only its own version of an existing test is rejected', async () => {
    const { status, stderr } = await run(
      `echo 2 > code; echo 'it.${skip}("is one", () => {}); // 2' > test/code.test.js`,
    );
    expect(status).toBe(1);
    expect(stderr).toContain('rejected by tests.sh (old tests)');
    expect(stderr).toContain('test/code.test.js: 1 skipped');
    expect(stderr).toContain('error: expected 2');
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  test('a test that is deleted does not count as deleted', async () => {
    const { status, stderr } = await run('echo 2 > code; rm test/code.test.js');
    expect([status, stderr]).toEqual([1, expect.stringContaining('removed with 1 tests')]);
  });

  test('code that passes both is taken, and a weakened test is named', async () => {
    const { status, stderr } = await run(
      `echo new > feature; echo 'it.${only}("is one", () => {}); // 1' > test/code.test.js`,
    );
    expect(status).toBe(0);
    expect(stderr).toContain('test/code.test.js: 1 focused');
    expect(repository.git('show', 'HEAD:test/code.test.js')).toContain(`it.${only}`);
  });

  test('new tests are judged once', async () => {
    const { status, stderr } = await run('echo new > feature; echo x > test/new.test.js');
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('old tests')]);
  });

  test('may_change lets a task change a test', async () => {
    repository.write('PLAN.md', plan('  may_change: test/code.test.js\n'));
    const { status } = await run('echo 2 > code; echo "// 2" > test/code.test.js');
    expect(status).toBe(0);
  });
});
