import { existsSync, readdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeOwnFolder } from '../../src/exec/own-folders.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

const plan = '- [ ] Make one {#one}\n- [ ] Make two {#two}\n';
const gate = `#!/bin/sh
. "$PWD/gates/_oracle"
echo "$SKELETON_TASK_ID $SKELETON_ATTEMPT $SKELETON_TASK_TITLE $(git rev-parse HEAD)" >> "$SEEN"
test -e "$SKELETON_TASK_ID.txt" && test ! -e "$OUTSIDE/red"
`;
const agent = 'cat > /dev/null; echo "$SKELETON_ATTEMPT" > "$SKELETON_TASK_ID.txt"';

let repository: UserRepository;
let putBack: () => void;
beforeAll(async () => {
  repository = makeUserRepository();
  const { outside } = repository;
  repository.write('PLAN.md', plan);
  repository.write('gates/_oracle', `OUTSIDE="${outside}"\nSEEN="${outside}/seen"\n`);
  repository.write('gates/check.sh', gate);
  const run = await repository.run('run', '--agent-command', repository.agent(agent));
  expect(run).toMatchObject({ status: 0 });
  putBack = repository.keep();
});
beforeEach(() => putBack());
afterAll(() => repository.remove());

const everything = (): string =>
  ['for-each-ref', 'status --porcelain=v2 --ignored', 'ls-files --stage', 'worktree list']
    .map((args) => repository.git(...args.split(' ')))
    .join('\n');
const leftBehind = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('skeleton-clean-'));
const tagOf = (task: string): string => repository.git('tag', '-l', `skeleton/plan/*-${task}`);

describe('skeleton verify', () => {
  test('holds: 0, with the task as its trailers name it, and nothing of the user is touched', async () => {
    repository.write('mine.txt', 'in progress');
    repository.git('add', 'mine.txt');
    repository.git('rm', '--quiet', '-r', 'gates');
    repository.write('README.md', 'edited');
    const before = everything();
    const seen = repository.outside + '/seen';
    repository.write('../outside/seen', '');
    const { status, stdout } = await repository.run('verify');
    expect([status, stdout]).toEqual([
      0,
      '✔ skeleton/plan/0001-one  holds (1 gate)\n✔ skeleton/plan/0002-two  holds (1 gate)\n2 held (exit 0)\n',
    ]);
    const parents = repository.git('log', '--format=%P', '-2').split('\n');
    const said = repository.git('hash-object', seen);
    repository.write(
      '../outside/wanted',
      `one 1 Make one ${parents[1]}\ntwo 1 Make two ${parents[0]}\n`,
    );
    expect(repository.git('hash-object', repository.outside + '/wanted')).toBe(said);
    expect(everything()).toBe(before);
    expect(leftBehind()).toEqual([]);
  });

  test('what no longer passes is 1 and named', async () => {
    repository.write('../outside/red', '');
    const { status, stdout } = await repository.run('verify', '0002-two');
    expect(status).toBe(1);
    expect(stdout).toContain('✗ skeleton/plan/0002-two  does not hold');
    expect(stdout).toContain('    check.sh no longer passes (exit 1)');
    expect(stdout).not.toContain('0001-one');
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  test('gates that were weakened later do not count', async () => {
    repository.write('../outside/red', '');
    repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
    repository.git('commit', '--quiet', '--all', '--message=weaker');
    expect(await repository.run('verify')).toMatchObject({ status: 1 });
  });

  test('a tag that was moved by hand is 1, with both commits', async () => {
    const [one, head] = [tagOf('one'), repository.git('rev-parse', 'HEAD')];
    const was = repository.git('rev-parse', one);
    repository.git('tag', '--force', one, 'HEAD');
    const { status, stdout } = await repository.run('verify');
    expect(status).toBe(1);
    expect(stdout).toContain(`its tag was moved: it stands at ${head}, the proof is of ${was}`);
    expect(stdout).toContain('✔ skeleton/plan/0002-two  holds');
  });

  test('a checkpoint without its proof, or without its tag, is 1', async () => {
    repository.git('update-ref', '-d', 'refs/skeleton/proof/plan/0001');
    repository.git('tag', '--delete', tagOf('two'));
    const { status, stdout } = await repository.run('verify');
    expect(status).toBe(1);
    expect(stdout).toContain('0001-one  does not hold\n    it has no proof');
    expect(stdout).toMatch(
      /refs\/skeleton\/proof\/plan\/0002 {2}does not hold\n {4}its tag is gone/,
    );
  });

  test('a forged proof holds no longer than its gates do', async () => {
    repository.write('one.txt', 'forged');
    repository.git('rm', '--quiet', '--cached', 'one.txt');
    repository.git('commit', '--quiet', '--message=forged\n\nSkeleton-Task: one');
    const commit = repository.git('rev-parse', 'HEAD');
    const tree = repository.git('rev-parse', 'HEAD^{tree}');
    const proof = { schema: 1, task: 'one', tree, judged: 'in-place', gatesHash: '' };
    const gates = [{ name: 'check.sh', verdict: 'pass', soft: false }];
    repository.git('tag', 'skeleton/plan/0003-one', commit);
    repository.git('tag', '-a', 'forged', '-m', JSON.stringify({ ...proof, gates }), commit);
    repository.git('update-ref', 'refs/skeleton/proof/plan/0003', 'refs/tags/forged');
    const { status, stdout } = await repository.run('verify', '3');
    expect([status, stdout]).toEqual([1, expect.stringContaining('check.sh no longer passes')]);
  });

  test('in a clone that fetched tags and proofs, without a ledger', async () => {
    const clone = join(repository.outside, 'clone');
    repository.git('clone', '--quiet', repository.top, clone);
    repository.git('-C', clone, 'fetch', '--quiet', 'origin', 'refs/skeleton/*:refs/skeleton/*');
    const { status, stdout } = await repository.run('verify', '-C', clone, '--json');
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { checkpoint: 'skeleton/plan/0001-one', outcome: 'holds', gates: [{ verdict: 'pass' }] },
      { checkpoint: 'skeleton/plan/0002-two', outcome: 'holds' },
    ]);
    expect(existsSync(join(clone, '.git/worktrees'))).toBe(false);
  });

  test('an unknown name is 2; a HEAD without checkpoints is 3', async () => {
    const unknown = await repository.run('verify', '0001-eno');
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("'0001-eno'")]);
    repository.git('switch', '--quiet', '--orphan', 'elsewhere');
    repository.git('commit', '--quiet', '--allow-empty', '--message=other');
    expect(await repository.run('verify')).toMatchObject({ status: 3 });
  });

  test('a gate that cannot judge is 3', async () => {
    repository.write('gates/check.sh', '#!/bin/sh\ntest ! -e "$HOME/unable" || exit 75\n');
    repository.write(
      'PLAN.md',
      '- [x] Make one {#one}\n- [x] Make two {#two}\n- [ ] Make three {#three}\n',
    );
    const run = await repository.run('run', '--agent-command', repository.agent(agent));
    expect(run).toMatchObject({ status: 0 });
    const { child, ended } = repository.start(['verify', 'three'], { HOME: repository.outside });
    repository.write('../outside/unable', '');
    expect(child.pid).toBeGreaterThan(0);
    expect(await ended).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('check.sh could not judge') as string,
    });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s leaves no worktree behind', async (signal, wanted) => {
    repository.write(
      'gates/check.sh',
      '#!/bin/sh\ntest ! -e "$HOME/slow" || { touch "$HOME/begun"; sleep 30; }\n',
    );
    repository.write(
      'PLAN.md',
      '- [x] Make one {#one}\n- [x] Make two {#two}\n- [ ] Make three {#three}\n',
    );
    await repository.run('run', '--agent-command', repository.agent(agent));
    repository.write('../outside/slow', '');
    const { child, ended } = repository.start(['verify', 'three'], { HOME: repository.outside });
    while (!existsSync(join(repository.outside, 'begun')))
      await new Promise((go) => setTimeout(go, 20));
    child.kill(signal);
    expect(await ended).toMatchObject({ status: wanted });
    expect(leftBehind()).toEqual([]);
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  test('what a killed one left is taken away by the next', async () => {
    const ours = makeOwnFolder(tmpdir(), 'skeleton-clean-');
    const folder = ours.replace(`-${process.pid}-`, '-999999999-');
    renameSync(ours, folder);
    repository.git('worktree', 'add', '--quiet', '--detach', join(folder, 'my project'));
    expect(await repository.run('verify')).toMatchObject({ status: 0 });
    expect(leftBehind()).toEqual([]);
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});
