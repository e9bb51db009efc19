import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { photograph } from '../support/git-lab.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

/** `skeleton restore`: the work of an attempt that was rolled back. */

const agent = `#!/bin/sh
cat > /dev/null; echo "try $SKELETON_ATTEMPT" > try.txt; printf '\\0\\377' > bytes.bin; rm old.txt; chmod +x tool.txt
`;
const branch = 'refs/heads/skeleton-restore/plan/one/1';

let repository: UserRepository;
let putBack: () => void;
beforeAll(async () => {
  repository = makeUserRepository();
  repository.write('PLAN.md', '- [ ] One {#one}\n');
  repository.write('gates/check.sh', '#!/bin/sh\nexit 1\n');
  for (const name of ['old.txt', 'tool.txt']) repository.write(name, `${name}\n`);
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  const command = repository.agent(agent);
  const { status } = await repository.run('run', '--attempts', '2', '--agent-command', command);
  expect(status).toBe(1);
  putBack = repository.keep();
});
beforeEach(() => putBack());
afterAll(() => {
  repository.remove();
});

const commitOf = (revision: string): string => repository.git('rev-parse', `${revision}^{commit}`);
const snapshot = (): string => commitOf('refs/skeleton/attempts/plan/one/1');

describe('as a branch', () => {
  test('at the very commit that keeps it; work tree and HEAD stay', async () => {
    const { refs: _before, ...before } = photograph(repository);
    const { status, stdout } = await repository.run('restore', 'one#1');
    expect([status, stdout]).toEqual([0, expect.stringContaining('skeleton-restore/plan/one/1')]);
    expect(commitOf(branch)).toBe(snapshot());
    const { refs: _after, ...after } = photograph(repository);
    expect(after).toEqual(before);
  });

  test('again says so, and a branch with other content is never moved', async () => {
    await repository.run('restore', 'one#1');
    expect((await repository.run('restore', 'one#1')).stdout).toContain('is already the branch');
    repository.git('update-ref', branch, 'HEAD');
    const { status, stdout } = await repository.run('restore', 'one#1');
    expect([status, stdout]).toEqual([0, expect.stringContaining('plan/one/1-2')]);
    expect(commitOf(branch)).toBe(commitOf('HEAD'));
    expect(commitOf(`${branch}-2`)).toBe(snapshot());
  });

  test('the last attempt where no number is given; --json is one object', async () => {
    const { stdout } = await repository.run('restore', 'one', '--json');
    const commit = commitOf('refs/skeleton/attempts/plan/one/2');
    const ref = 'refs/heads/skeleton-restore/plan/one/2';
    expect(JSON.parse(stdout)).toMatchObject({ attempt: 'one#2', kind: 'branch', ref, commit });
  });
});

describe('into the work tree', () => {
  test.each(['--here', '--worktree'])(
    '%s lays out exactly its files, nothing staged',
    async (flag) => {
      const head = commitOf('HEAD');
      const { status } = await repository.run('restore', 'one#1', flag);
      expect(status).toBe(0);
      expect(repository.git('status', '--porcelain').split('\n')).toEqual([
        ' D old.txt',
        ' M tool.txt',
        '?? bytes.bin',
        '?? try.txt',
      ]);
      expect(readFileSync(join(repository.top, 'bytes.bin'))).toEqual(Buffer.from([0, 255]));
      expect(readFileSync(join(repository.top, 'try.txt'), 'utf8')).toBe('try 1\n');
      expect(commitOf('HEAD')).toBe(head);
    },
  );

  test('only into a clean one', async () => {
    repository.write('mine.txt', 'mine\n');
    const before = photograph(repository);
    const { status, stderr } = await repository.run('restore', 'one#1', '--here');
    expect([status, stderr]).toEqual([3, expect.stringContaining('mine.txt')]);
    expect(photograph(repository)).toEqual(before);
  });

  test('and over nothing that has changed since, ignored or committed', async () => {
    repository.write('.gitignore', 'bytes.bin\n');
    repository.write('bytes.bin', 'mine, ignored\n');
    repository.write('old.txt', 'changed since\n');
    repository.git('add', '.gitignore', 'old.txt');
    repository.git('commit', '--quiet', '--message=since');
    const before = photograph(repository);
    const { status, stderr } = await repository.run('restore', 'one#1', '--here');
    expect([status, stderr]).toEqual([3, expect.stringContaining('bytes.bin, old.txt')]);
    expect(photograph(repository)).toEqual(before);
  });
});

test.each([
  ['tow#1', "there is no task 'tow'"],
  ['one#9', "task 'one' has no attempt 9"],
])('%s is a usage error', async (attempt, message) => {
  const { status, stderr } = await repository.run('restore', attempt);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});
