import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openKeeper } from '../../src/git/keeper.ts';
import { photograph } from '../support/git-lab.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

/** `skeleton undo`: the branch back at a checkpoint, and back again. */

let repository: UserRepository;
let putBack: () => void;
beforeAll(async () => {
  repository = makeUserRepository();
  repository.write('PLAN.md', '- [ ] One {#one}\n- [ ] Two {#two}\n- [ ] Three {#three}\n');
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  repository.write('.gitignore', '*.log\n');
  repository.write('keep.txt', 'keep\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  const end = await work('--limit', '2');
  expect(end.status).toBe(0);
  putBack = repository.keep();
});
beforeEach(() => putBack());
afterAll(() => {
  repository.remove();
});

function work(...options: readonly string[]): ReturnType<UserRepository['run']> {
  const script = `#!/bin/sh
cat > /dev/null; echo "$SKELETON_TASK_ID $$" > "$SKELETON_TASK_ID.txt"; mkdir -p made; echo m > "made/$SKELETON_TASK_ID"
`;
  return repository.run('run', '--agent-command', repository.agent(script), ...options);
}

const commitOf = (revision: string): string => repository.git('rev-parse', `${revision}^{commit}`);
const tags = (): readonly string[] => repository.git('tag', '--list').split('\n');
/** Folders that git made come and go with what is in them. */
const picture = (): Readonly<Record<string, string>> => photograph(repository);

test('by default the one before the last; then the start; then there is nothing', async () => {
  const two = commitOf('HEAD');
  const first = await repository.run('undo');
  expect([first.status, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toContain('the branch is at skeleton/plan/0001-one');
  expect(first.stdout).toContain('1 commit left it and is kept at refs/skeleton/undo/plan/1');
  expect(first.stdout).toContain('to take that back: skeleton undo skeleton/undo/plan/1');
  expect(commitOf('HEAD')).toBe(commitOf('skeleton/plan/0001-one'));
  expect(commitOf('refs/skeleton/undo/plan/1')).toBe(two);
  expect(repository.git('status', '--porcelain')).toBe('');
  expect(existsSync(join(repository.top, 'two.txt'))).toBe(false);
  expect((await repository.run('status')).stdout).toContain(
    'the tree is at skeleton/plan/0001-one\n',
  );
  expect((await repository.run('undo')).stdout).toContain('skeleton/plan/0000-start');
  expect(existsSync(join(repository.top, 'made'))).toBe(false);
  expect(commitOf('refs/skeleton/undo/plan/2')).toBe(commitOf('skeleton/plan/0001-one'));
  const last = await repository.run('undo');
  expect([last.status, last.stderr]).toEqual([2, expect.stringContaining('nothing to undo')]);
});

test('an undo can be undone, byte for byte', async () => {
  const before = picture();
  for (const back of ['skeleton/undo/plan/1', 'skeleton/plan/0002-two']) {
    expect((await repository.run('undo', 'skeleton/plan/0000-start')).status).toBe(0);
    const redo = await repository.run('undo', back);
    expect([redo.status, redo.stdout]).toEqual([0, expect.stringContaining('nothing left it')]);
    expect(picture()).toEqual(before);
  }
});

test('what was undone is pending, and is done anew under new names', async () => {
  const before = commitOf('skeleton/plan/0002-two');
  await repository.run('undo', 'refs/tags/skeleton/plan/0001-one');
  expect((await repository.run('status')).stdout).toContain('1 of 3 passed');
  expect((await work()).status).toBe(0);
  expect(tags()).toEqual([
    'skeleton/plan/0000-start',
    'skeleton/plan/0001-one',
    'skeleton/plan/0002-two',
    'skeleton/plan/0003-two',
    'skeleton/plan/0004-three',
  ]);
  expect(commitOf('skeleton/plan/0002-two')).toBe(before);
  expect(commitOf('HEAD~2')).toBe(commitOf('skeleton/plan/0001-one'));
});

test("a person's commits do not leave unasked", async () => {
  repository.write('mine.txt', 'mine\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=mine');
  const mine = commitOf('HEAD');
  expect((await work()).status).toBe(0);
  expect((await repository.run('undo')).status).toBe(0);
  expect(commitOf('HEAD')).toBe(mine);
});

test('an ignored file that stands in the way goes to quarantine', async () => {
  repository.git('rm', '--quiet', '--cached', 'keep.txt');
  repository.write('.gitignore', '*.log\nkeep.txt\n');
  repository.git('add', '.gitignore');
  repository.git('commit', '--quiet', '--message=ignore it');
  repository.write('keep.txt', 'edited since\n');
  const end = await repository.run('undo', '0001-one');
  expect([end.status, end.stderr]).toEqual([0, expect.stringContaining('stood in the way')]);
  expect(readFileSync(join(repository.top, 'keep.txt'), 'utf8')).toBe('keep\n');
  const quarantine = join(repository.top, '.git/skeleton/quarantine/plan/+undo/1/tree');
  expect(readFileSync(join(quarantine, 'keep.txt'), 'utf8')).toBe('edited since\n');
});

describe('refused, and nothing touched', () => {
  test.each([
    ['an edited file', 'keep.txt'],
    ['a new file', 'new file.txt'],
    ['an edited plan', 'PLAN.md'],
  ])('%s', async (_what, path) => {
    repository.write(path, 'work in progress\n');
    const before = picture();
    const { status, stderr } = await repository.run('undo');
    expect([status, stderr]).toEqual([3, expect.stringContaining(path)]);
    expect(picture()).toEqual(before);
  });

  test("a person's ref where ours goes", async () => {
    repository.git('update-ref', 'refs/skeleton/undo', 'HEAD');
    const before = picture();
    const { status, stderr } = await repository.run('undo');
    expect([status, stderr]).toEqual([3, expect.stringContaining('-d refs/skeleton/undo')]);
    expect(picture()).toEqual(before);
  });

  test('an unknown checkpoint', async () => {
    const before = picture();
    const { status, stderr } = await repository.run('undo', 'skeleton/plan/0009-nine');
    expect([status, stderr]).toEqual([2, expect.stringContaining("'skeleton/plan/0009-nine'")]);
    expect(stderr).toContain('skeleton undo skeleton/plan/0002-two');
    const meant = await repository.run('undo', 'skeleton/plan/0002-tow');
    expect(meant.stderr).toContain("did you mean 'skeleton/plan/0002-two'?");
    const task = await repository.run('undo', 'tow');
    expect(task.stderr).toContain("did you mean '0002-two'?");
    expect(picture()).toEqual(before);
  });

  test('while a run goes', async () => {
    const agent = repository.agent(
      `#!/bin/sh\ncat > /dev/null; echo > "${repository.outside}/on"; exec sleep 30\n`,
    );
    const { child, ended } = repository.start(['run', '--agent-command', agent]);
    execFileSync(
      'sh',
      ['-c', 'for i in $(seq 200); do [ -e on ] && exit; sleep 0.1; done; exit 1'],
      {
        cwd: repository.outside,
      },
    );
    const { status, stderr } = await repository.run('undo');
    child.kill('SIGINT');
    await ended;
    expect([status, stderr]).toEqual([3, expect.stringContaining('lock')]);
  });
});

test('a switch that a kill cut off is finished by the next command, and nothing of it is lost', async () => {
  const { top } = repository;
  const two = commitOf('HEAD');
  const one = commitOf('skeleton/plan/0001-one');
  const [worktree = ''] = readdirSync(join(top, '.git/skeleton/worktrees'));
  // As a kill between two files leaves it: one is gone already, one is torn, the refs have not moved.
  const record = { version: 1, plan: 'plan', from: two, to: one, kind: 'branch' };
  const text = JSON.stringify({ ...record, branch: 'refs/heads/main', number: 7 });
  writeFileSync(join(top, '.git/skeleton/worktrees', worktree, 'move'), text);
  execFileSync('sh', ['-c', 'rm two.txt; printf "[x" > PLAN.md'], { cwd: top });
  const { status, stdout } = await repository.run('undo', '0001-one');
  expect([status, stdout]).toEqual([0, expect.stringContaining('nothing to do')]);
  expect(commitOf('HEAD')).toBe(one);
  expect(repository.git('status', '--porcelain')).toBe('');
  const torn = join(top, '.git/skeleton/quarantine/plan/+undo/7/tree/PLAN.md');
  expect(readFileSync(torn, 'utf8')).toBe('[x');
});

test('what is set aside comes back, however far a killed command had come with it', async () => {
  const { top } = repository;
  repository.write('keep.txt', 'edited\n');
  repository.write('new.txt', 'new\n');
  repository.git('add', 'new.txt');
  const before = picture();
  const keeper = await openKeeper({ cwd: top });
  expect(await keeper.setAside('plan', () => false)).toBe('refs/skeleton/autostash/plan/1');
  expect(repository.git('status', '--porcelain')).toBe('');
  writeFileSync(join(top, 'keep.txt'), 'edited\n');
  expect(await keeper.putBack()).toEqual({ kind: 'done', left: [] });
  expect(picture()).toEqual(before);
  expect(await keeper.putBack()).toBeUndefined();
});
