import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

const front = (more = ''): string =>
  `---\nsetup:\n  run: echo set up >> "$HOME/setups"; mkdir -p deps; cp lock deps/version\n  files: [lock]\n${more}---\n- [ ] Make one {#one}\n- [ ] Make two {#two}\n`;

let repository: UserRepository;
beforeEach(() => {
  repository = makeUserRepository();
  repository.write('PLAN.md', front());
  repository.write('.gitignore', 'deps\n*.gen\n');
  repository.write('lock', '1\n');
  repository.git('add', '.gitignore', 'lock');
  repository.git('commit', '--quiet', '--message=lock');
  repository.write('gates/check.sh', '#!/bin/sh\npwd >> "$HOME/folders"\ncmp lock deps/version\n');
});
afterEach(() => repository.remove());

const run = (agent: string, ...more: readonly string[]): ReturnType<UserRepository['run']> =>
  repository.start(
    ['run', '--agent-command', repository.agent(`cat > /dev/null; ${agent}`), ...more],
    { HOME: repository.outside },
  ).ended;
const outside = (name: string): readonly string[] =>
  readFileSync(join(repository.outside, name), 'utf8').trimEnd().split('\n');
const proof = (number: string): unknown =>
  JSON.parse(
    repository.git('cat-file', '-p', `refs/skeleton/proof/plan/${number}`).split('\n\n')[1] ?? '',
  );
const assertNothingLeft = (): void => {
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('skeleton-clean-'))).toEqual([]);
  expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
};

describe('with setup:', () => {
  test('gates run in one linked worktree, set up once for the same files; the proof says clean', async () => {
    const { status, stderr } = await run('echo x > "$SKELETON_TASK_ID"');
    expect([status, stderr]).toEqual([0, expect.stringContaining('2 passed')]);
    const folders = new Set(outside('folders'));
    expect([...folders]).toEqual([expect.stringMatching(/skeleton-clean-[\w-]+\/my project$/)]);
    expect(outside('folders')).toHaveLength(3);
    expect(outside('setups')).toEqual(['set up']);
    expect(proof('0002')).toMatchObject({ judged: 'clean', gates: [{ name: 'check.sh' }] });
    expect(existsSync(join(repository.top, 'deps'))).toBe(false);
    expect(repository.git('status', '--porcelain')).toBe('');
    assertNothingLeft();
    expect(await repository.run('verify')).toMatchObject({ status: 0 });
  });

  test('the setup runs again where a file that it depends on differs', async () => {
    const { status } = await run('echo "$SKELETON_TASK_ID" > lock');
    expect(status).toBe(0);
    expect(outside('setups')).toHaveLength(3);
  });

  test('an ignored source file makes no false green', async () => {
    repository.write('gates/check.sh', '#!/bin/sh\ntest -e source.gen\n');
    const { status, stderr } = await run('echo x > made; echo x > source.gen', '--attempts', '1');
    expect([status, stderr]).toEqual([1, expect.stringContaining('rejected by check.sh')]);
    assertNothingLeft();
  });

  test('nothing that a gate left is there for the next, ignored or not', async () => {
    const gate = '#!/bin/sh\ntest ! -e left.gen && test ! -e left || exit 1\ntouch left left.gen\n';
    repository.write('gates/check.sh', gate);
    expect(await run('echo x > "$SKELETON_TASK_ID"')).toMatchObject({ status: 0 });
    expect(existsSync(join(repository.top, 'left'))).toBe(false);
  });

  test('a gate that changes a tracked file rejects', async () => {
    const gate = '#!/bin/sh\ntest -z "$SKELETON_TASK_ID" || echo more >> README.md\n';
    repository.write('gates/check.sh', gate);
    const { status, stderr } = await run('echo x > made', '--attempts', '1');
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('a gate changed tracked files: README.md'),
    ]);
  });

  test('a setup that fails rejects by its name, with what it printed', async () => {
    const { status, stderr } = await run('rm lock', '--attempts', '1');
    expect(status).toBe(1);
    expect(stderr).toContain('rejected by setup');
    expect(stderr).toMatch(/│ cp: .*lock/);
    assertNothingLeft();
  });

  test('the gates are those of where the attempt began, HEAD and index too', async () => {
    repository.write(
      'gates/check.sh',
      '#!/bin/sh\ngit status --porcelain > "$HOME/status"; test "$(git rev-parse HEAD)" = "${SKELETON_BASE:-$(git rev-parse HEAD)}"\n',
    );
    const { status } = await run('echo x > made', '--limit', '1');
    expect(status).toBe(0);
    expect(outside('status')).toEqual([' M PLAN.md', '?? made']);
  });

  test('a take by a person is judged there too', async () => {
    await run('exit 1', '--attempts', '1');
    repository.write('made', 'x');
    repository.write('source.gen', 'x');
    const { ended } = repository.start(['take', 'one'], { HOME: repository.outside });
    expect(await ended).toMatchObject({ status: 0 });
    expect(proof('0001')).toMatchObject({ judged: 'clean', agent: 'person' });
    expect(existsSync(join(repository.top, 'source.gen'))).toBe(true);
    assertNothingLeft();
  });
});
