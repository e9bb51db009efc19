import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { killedIn, makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

const plan = '- [ ] Make one {#one}\n- [ ] Make two {#two}\n  needs: one\n';
const gate = `#!/bin/sh
grep -q '^- \\[x\\] Make one' PLAN.md || exit 9
echo "$SKELETON_TASK_ID $SKELETON_ATTEMPT" > report.txt
echo "$(cat v)"; test "$(cat v)" = 3
`;

let repository: UserRepository;
let putBack: () => void;
beforeAll(async () => {
  repository = makeUserRepository();
  repository.write('PLAN.md', plan);
  repository.write('gates/check.sh', gate);
  repository.write('src/code', 'old\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=setup');
  const agent = repository.agent('cat > /dev/null; echo 2 > v');
  await repository.run('run', '--attempts', '1', '--agent-command', agent);
  putBack = repository.keep();
});
beforeEach(() => putBack());
afterAll(() => repository.remove());

const read = (path: string): string => readFileSync(join(repository.top, path), 'utf8');
const indexAndRefs = (): string =>
  [
    'ls-files --stage -v',
    'diff --cached',
    'status --porcelain=v2',
    'stash list',
    'symbolic-ref HEAD',
    'log --format=%H',
  ]
    .map((args) => repository.git(...args.split(' ')))
    .join('\n');

/** Staged, unstaged and untracked work, a mark set by hand, and modes. */
function workOfAPerson(v: string): void {
  repository.write('src/code', 'staged\n');
  repository.git('add', 'src/code');
  repository.write('src/code', 'staged and edited\r\n');
  repository.write('v', v);
  repository.write('tool', '#!/bin/sh\n');
  repository.write('PLAN.md', plan.replace('[ ] Make two', '[x] Make two'));
  repository.git('rm', '--quiet', '--cached', 'README.md');
}

describe('a red take', () => {
  test('leaves files, index and HEAD byte for byte, and is kept as the next attempt', async () => {
    workOfAPerson('1\n');
    const before = indexAndRefs();
    const { status, stderr } = await repository.run('take', 'one');
    expect([status, stderr]).toEqual([1, expect.stringContaining('rejected by check.sh')]);
    expect(indexAndRefs()).toBe(before);
    expect(read('src/code')).toBe('staged and edited\r\n');
    expect(read('PLAN.md')).toBe(plan.replace('[ ] Make two', '[x] Make two'));
    expect(statSync(join(repository.top, 'tool')).mode & 0o111).not.toBe(0);
    expect(existsSync(join(repository.top, 'report.txt'))).toBe(false);
    const kept = 'refs/skeleton/attempts/plan/one/2';
    expect(repository.git('show', `${kept}:v`)).toBe('1');
    expect(repository.git('show', `${kept}:src/code`)).toContain('staged and edited');
    expect(repository.git('tag', '-l', 'skeleton/plan/*-one')).toBe('');
  });

  test('what a gate changed is put back', async () => {
    repository.write('gates/check.sh', '#!/bin/sh\necho by the gate > src/code; rm v; exit 1\n');
    repository.git('commit', '--quiet', '--all', '--message=gate');
    repository.write('src/code', 'mine\n');
    repository.write('v', '3');
    const { status, stderr } = await repository.run('take', '1');
    expect(status).toBe(1);
    expect(stderr).toContain('a gate changed files, which are put back: src/code, v');
    expect([read('src/code'), read('v'), read('PLAN.md')]).toEqual(['mine\n', '3', plan]);
  });

  test('a changed gate is rejected by name', async () => {
    repository.write('v', '3');
    repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
    const { status, stderr } = await repository.run('take', 'one');
    expect(status).toBe(1);
    expect(stderr).toContain(
      'the attempt changed what judges it (commit that first): gates/check.sh',
    );
    expect(read('gates/check.sh')).toBe('#!/bin/sh\nexit 0\n');
    expect(read('PLAN.md')).toBe(plan);
  });

  test('attempts count on, even beyond five', async () => {
    // Each time another one: attempts that end alike would not be five.
    const agent = repository.agent('cat > /dev/null; echo "wrong $SKELETON_ATTEMPT" > v');
    await repository.run('run', '--agent-command', agent);
    repository.write('v', '4');
    const { status, stderr } = await repository.run('take', 'one');
    expect([status, stderr]).toEqual([1, expect.stringContaining('attempt 6/6 rejected')]);
    repository.write('v', '3');
    expect(await repository.run('take', 'one')).toMatchObject({ status: 0 });
    expect(repository.git('log', '-1', '--format=%(trailers:key=Skeleton-Attempt,valueonly)')).toBe(
      '7',
    );
  });

  test('a gate that cannot judge is 4, and leaves everything too', async () => {
    repository.write('gates/check.sh', '#!/bin/sh\nexit 75\n');
    repository.git('commit', '--quiet', '--all', '--message=gate');
    workOfAPerson('3');
    const before = indexAndRefs();
    expect(await repository.run('take', 'one')).toMatchObject({ status: 4 });
    expect(indexAndRefs()).toBe(before);
    expect(read('v')).toBe('3');
  });

  test('killed in the middle, the next command keeps the work and leaves the tree', async () => {
    repository.write('gates/check.sh', '#!/bin/sh\ntouch "$HOME/begun"; sleep 30\n');
    repository.git('commit', '--quiet', '--all', '--message=gate');
    repository.write('src/code', 'mine\n');
    repository.write('v', '3');
    const { child, ended } = repository.start(['take', 'one'], { HOME: repository.outside });
    while (!existsSync(join(repository.outside, 'begun')))
      await new Promise((go) => setTimeout(go, 20));
    child.kill('SIGKILL');
    await ended;
    const run = await repository.run('run', '--agent-command', 'true');
    expect([run.status, run.stderr]).toEqual([3, expect.stringContaining('not committed')]);
    expect([read('src/code'), read('v'), read('PLAN.md')]).toEqual(['mine\n', '3', plan]);
    expect(repository.git('show', 'refs/skeleton/attempts/plan/one/2:v')).toBe('3');
  });
});

describe('a take that died', () => {
  test('in its gate: the next take keeps it, puts the tree back and goes on', async () => {
    const ready = 'touch "$HOME/begun"; test -e "$HOME/go" || sleep 30; test -e PLAN.md';
    commitGate(ready);
    workOfAPerson('3');
    await killAtStep(['take', 'one']);
    expect(read('PLAN.md')).toContain('[x] Make one');
    writeFileSync(join(repository.outside, 'go'), '');
    const { ended } = repository.start(['take', 'one'], { HOME: repository.outside });
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining('the last run died during one#2'),
    ]);
    expect(repository.git('show', 'refs/skeleton/attempts/plan/one/2:v')).toBe('3');
    expect(repository.git('show', 'refs/skeleton/attempts/plan/one/2:PLAN.md')).toContain(
      '[ ] Make one',
    );
    expect(repository.git('log', '-1', '--format=%(trailers:only)')).toContain(
      'Skeleton-Attempt: 3',
    );
  });

  test('when it had passed: what finishes it says so', async () => {
    repository.write('v', '3');
    const late = killedIn('after check.sh', 'before git update-ref -m');
    expect((await repository.start(['take', 'one'], late).ended).status).toBeNull();
    const { stderr } = await repository.run('run', '--agent-command', 'true', '--attempts', '1');
    expect(stderr).toMatch(/^one .* passed +skeleton\/plan\/\d+-one$/m);
    expect(stderr).not.toContain('unjudged');
  });
});

/** Runs a command until a step of it has made `begun`, then kills it. */
async function killAtStep(args: readonly string[]): Promise<void> {
  const begun = join(repository.outside, 'begun');
  const { child, ended } = repository.start(args, { HOME: repository.outside });
  while (!existsSync(begun)) await new Promise((go) => setTimeout(go, 20));
  child.kill('SIGKILL');
  await ended;
}

function commitGate(script: string): void {
  repository.write('gates/check.sh', `#!/bin/sh\n${script}\n`);
  repository.write('.gitignore', '.env\n');
  repository.git('add', 'gates', '.gitignore');
  repository.git('commit', '--quiet', '--message=gate');
}

describe('a gate that damages what a person has nowhere else', () => {
  test('killed while it does, leaves it kept already, and recovery puts it back', async () => {
    commitGate(
      'echo clob > src/code; rm -f v .env; echo new > made; git add -A; touch "$HOME/begun"; sleep 30',
    );
    workOfAPerson('PRECIOUS\n');
    repository.write('.env', 'S\n');
    const before = indexAndRefs();
    await killAtStep(['take', 'one']);
    const kept = 'refs/skeleton/attempts/plan/one/2';
    expect(repository.git('show', `${kept}:v`)).toBe('PRECIOUS');
    const run = await repository.run('run', '--agent-command', 'true');
    expect([run.status, run.stderr]).toEqual([3, expect.stringContaining('not committed')]);
    expect(indexAndRefs()).toBe(before);
    expect([read('v'), read('.env'), read('src/code')]).toEqual([
      'PRECIOUS\n',
      'S\n',
      'staged and edited\r\n',
    ]);
    expect(read('PLAN.md')).toBe(plan.replace('[ ] Make two', '[x] Make two'));
    expect(repository.git('show', `${kept}:src/code`)).toContain('staged and edited');
    const aside = '.git/skeleton/quarantine/plan/one/2/tree';
    expect([read(`${aside}/src/code`), read(`${aside}/made`)]).toEqual(['clob\n', 'new\n']);
  });

  test.each([
    ['removed', 'rm -f .env'],
    ['overwritten', 'echo EVIL > .env'],
  ])('red, an ignored file that it has %s is put back', async (_, script) => {
    commitGate(`${script}; exit 1`);
    repository.write('.env', 'S\n');
    repository.write('v', '3');
    const { status, stderr } = await repository.run('take', 'one');
    expect([status, stderr]).toEqual([1, expect.stringContaining('.env, which git ignores, is')]);
    expect([read('.env'), read('v')]).toEqual(['S\n', '3']);
    const aside = join(repository.top, '.git/skeleton/quarantine/plan/one/2/ignored/.env');
    if (script.includes('EVIL')) expect(readFileSync(aside, 'utf8')).toBe('EVIL\n');
  });

  test('red, what was staged is staged again, and the tick is not', async () => {
    commitGate('git add -A; exit 1');
    workOfAPerson('3');
    const before = indexAndRefs();
    expect(await repository.run('take', 'one')).toMatchObject({ status: 1 });
    expect(indexAndRefs()).toBe(before);
    expect(repository.git('show', ':src/code')).toBe('staged');
    expect(read('src/code')).toBe('staged and edited\r\n');
  });
});

describe('after a run that died', () => {
  test('nothing is taken: the dead work and the mended are one heap', async () => {
    const agent = repository.agent('echo dead > dead; touch "$HOME/begun"; sleep 30');
    await killAtStep(['run', '--agent-command', agent]);
    repository.write('mended', '3');
    const { status, stderr } = await repository.run('take', 'one');
    expect([status, stderr]).toEqual([3, expect.stringContaining('a run died here during one#2')]);
    expect(stderr).toContain('kept at refs/skeleton/attempts/plan/one/2');
    expect(stderr).toContain('skeleton run');
    expect([read('mended'), read('dead')]).toEqual(['3', 'dead\n']);
    await repository.run('run', '--attempts', '1', '--agent-command', 'true');
    expect(repository.git('show', 'refs/skeleton/attempts/plan/one/2:mended')).toBe('3');
  });

  test('work that was set aside is not taken for a task', async () => {
    commitGate('touch "$HOME/begun"; sleep 30');
    repository.write('mine', 'unrelated');
    await killAtStep(['run', '--autostash', '--agent-command', 'true']);
    const head = repository.git('rev-parse', 'HEAD');
    const { status, stderr } = await repository.run('take', 'one');
    expect([status, stderr]).toEqual([3, expect.stringContaining('nothing was touched')]);
    expect(stderr).toContain('set aside at refs/skeleton/');
    expect(existsSync(join(repository.top, 'mine'))).toBe(false);
    await repository.run('run', '--agent-command', 'true');
    expect([read('mine'), repository.git('rev-parse', 'HEAD')]).toEqual(['unrelated', head]);
  });
});

describe('a green take', () => {
  test('is a checkpoint with tick, tag and proof, by a person, of the whole work tree', async () => {
    repository.write('src/code', 'new\n');
    repository.git('add', 'src/code');
    repository.write('v', '3\n');
    const { status } = await repository.run('take', 'one');
    expect(status).toBe(0);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(read('PLAN.md')).toBe(plan.replace('[ ] Make one', '[x] Make one'));
    const tag = repository.git('tag', '-l', 'skeleton/plan/*-one');
    expect(repository.git('rev-parse', tag)).toBe(repository.git('rev-parse', 'HEAD'));
    const trailers = '--format=%(trailers:key=Skeleton-Agent,valueonly)';
    expect(repository.git('log', '-1', trailers)).toBe('person');
    const number = tag.split('/')[2]?.split('-')[0] ?? '';
    const proof = repository.git('cat-file', '-p', `refs/skeleton/proof/plan/${number}`);
    expect(proof).toContain('"agent": "person"');
    expect(await repository.run('verify')).toMatchObject({ status: 0 });
    const { stdout } = await repository.run('status');
    expect(stdout).toContain('1 of 2 passed');
  });
});

describe('what cannot be taken', () => {
  test.each([
    ['a tree as HEAD has it', ['one'], 3, 'there is nothing to judge'],
    ['an unknown task', ['eno'], 2, "has no task 'eno'"],
    ['a task whose need is not met', ['two'], 2, "needs 'one', which is not done"],
  ])('%s', async (_, args, wanted, message) => {
    if (wanted === 2) repository.write('v', '3');
    const { status, stderr } = await repository.run('take', ...args);
    expect([status, stderr]).toEqual([wanted, expect.stringContaining(message)]);
    expect(repository.git('for-each-ref', 'refs/skeleton/attempts')).not.toContain('one/2');
  });

  test('a task that is done at HEAD', async () => {
    repository.write('v', '3');
    await repository.run('take', 'one');
    repository.write('v', '4');
    const { status, stderr } = await repository.run('take', 'one');
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("'one' is done in PLAN.md at HEAD"),
    ]);
  });
});
