import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { photograph } from '../support/git-lab.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

/** `run --autostash`: uncommitted work of every kind, and every way in which a run may end. */

let repository: UserRepository;
beforeEach(() => {
  repository = makeUserRepository();
  furnish();
});
afterEach(() => {
  repository.remove();
});

function sh(script: string): void {
  execFileSync('bash', ['-ec', script], { cwd: repository.top, stdio: 'pipe' });
}

/** A project, committed. */
function furnish(): void {
  repository.write('PLAN.md', '- [ ] One {#one}\n');
  repository.write('gates/check.sh', '#!/bin/sh\ntest ! -e scratch.txt && test ! -e bad\n');
  repository.write('.gitignore', '*.log\n');
  sh(`for f in both late gone del ren mode assumed; do echo "$f 1
2
3
4
5
6" > $f.txt; done; mkdir -p dir only; echo o > dir/only.txt; echo k > only/kept.txt
    git add -A; git commit -qm project`);
}

/** Work in progress of a person, with something of every kind. */
function workOn(): void {
  sh(`echo staged >> both.txt; git add both.txt; echo unstaged >> both.txt; echo late >> late.txt
    rm gone.txt; git rm -q del.txt; git mv ren.txt renamed.txt; echo more >> renamed.txt; chmod +x mode.txt
    echo scratch > scratch.txt; chmod 600 scratch.txt; mkdir -p new/deep new/empty; echo x > new/deep/x; chmod 700 new
    printf y > "$(printf 'caf\\xe9 b')"; ln -s nowhere link; echo log > debug.log
    echo announced > announced.txt; git add -N announced.txt
    echo am > am.txt; git add am.txt; echo am2 >> am.txt; echo ad > ad.txt; git add ad.txt; rm ad.txt
    mkdir -p empty/inner; rm dir/only.txt; mkdir dir/hollow
    git update-index --assume-unchanged assumed.txt; echo hidden >> assumed.txt`);
}

/** Everything but what the run itself commits. */
function picture(): Readonly<Record<string, string>> {
  const { refs: _refs, ['PLAN.md']: _plan, one: _one, ...rest } = photograph(repository);
  const own = /\t(?:PLAN\.md|one)$/;
  const index = (rest['index'] ?? '').split('\n').filter((line) => !own.test(line));
  return { ...rest, index: index.join('\n') };
}

const doer = '#!/bin/sh\ncat > /dev/null; touch one\n';
const asides = (): string => repository.git('for-each-ref', 'refs/skeleton/autostash');

test('everything comes back exactly after a pass, and none of it is in the checkpoint', async () => {
  workOn();
  const before = picture();
  const end = await repository.run('run', '--autostash', '--agent-command', repository.agent(doer));
  expect([end.status, end.stderr]).toEqual([0, expect.stringContaining('is back where it was')]);
  expect(picture()).toEqual(before);
  expect(repository.git('show', '--name-only', '--format=', 'HEAD')).toBe('PLAN.md\none');
  expect(asides()).toBe('');
  repository.git('fsck', '--strict');
});

test('front matter says it too, and what belongs to the plan is committed as its start', async () => {
  repository.write('PLAN.md', '---\nautostash: true\n---\n- [ ] One {#one}\n- [ ] Two {#two}\n');
  repository.write('scratch.txt', 'mine\n');
  const end = await repository.run(
    'run',
    '--limit',
    '1',
    '--agent-command',
    repository.agent(doer),
  );
  expect(end.status).toBe(0);
  expect(repository.git('status', '--porcelain')).toBe('?? scratch.txt');
  expect(repository.git('log', '--format=%s', '-2')).toBe('One\nskeleton: start plan');
});

test('bytes that a checkout would convert come back as they were', async () => {
  repository.git('config', 'core.autocrlf', 'input');
  repository.write('mixed.txt', 'a\r\nb\n');
  repository.write('late.txt', 'c\r\nd\r\n');
  const end = await repository.run('run', '--autostash', '--agent-command', repository.agent(doer));
  expect(end.status).toBe(0);
  expect(readFileSync(join(repository.top, 'mixed.txt'), 'utf8')).toBe('a\r\nb\n');
  expect(readFileSync(join(repository.top, 'late.txt'), 'utf8')).toBe('c\r\nd\r\n');
});

test('after an agent that deleted our record of it', async () => {
  workOn();
  const before = picture();
  const agent = repository.agent(`${doer}rm .git/skeleton/worktrees/*/aside\n`);
  const end = await repository.run('run', '--autostash', '--agent-command', agent);
  expect(end.status).toBe(0);
  expect(picture()).toEqual(before);
});

test('after a task that failed', async () => {
  workOn();
  const before = picture();
  const bad = repository.agent('#!/bin/sh\ncat > /dev/null; touch bad; echo worse >> both.txt\n');
  const end = await repository.run('run', '--autostash', '--attempts', '2', '--agent-command', bad);
  expect(end.status).toBe(1);
  expect(picture()).toEqual(before);
});

test('after a run that refused to start', async () => {
  workOn();
  repository.write('gates/zz.sh', '#!/bin/sh\necho changed > only/kept.txt\n');
  const before = photograph(repository);
  const end = await repository.run('run', '--autostash', '--agent-command', repository.agent(doer));
  expect([end.status, end.stderr]).toEqual([3, expect.stringContaining('changes tracked files')]);
  expect(photograph(repository)).toEqual(before);
});

async function untilWorking(): Promise<void> {
  const mark = join(repository.outside, 'working');
  for (let waited = 0; !existsSync(mark); waited += 50) {
    if (waited > 20_000) throw new Error('the agent did not begin');
    await sleep(50);
  }
}

function slow(): string {
  const mark = join(repository.outside, 'working');
  return repository.agent(
    `#!/bin/sh\ncat > /dev/null; echo half >> only/kept.txt; touch one "${mark}"; exec sleep 60\n`,
  );
}

test('after Ctrl-C', async () => {
  workOn();
  const before = picture();
  const { child, ended } = repository.start(['run', '--autostash', '--agent-command', slow()]);
  await untilWorking();
  child.kill('SIGINT');
  expect((await ended).status).toBe(130);
  expect(picture()).toEqual(before);
});

test('after kill -9, when the next command starts', async () => {
  workOn();
  const before = picture();
  const { child, ended } = repository.start(['run', '--autostash', '--agent-command', slow()]);
  await untilWorking();
  child.kill('SIGKILL');
  await ended;
  expect(existsSync(join(repository.top, 'scratch.txt'))).toBe(false);
  const next = await repository.run('run', '--agent-command', repository.agent(doer));
  expect([next.status, next.stderr]).toEqual([3, expect.stringContaining('back where it was')]);
  expect(picture()).toEqual(before);
});

test('where a checkpoint touched the same file nothing is overwritten, and one command brings it back', async () => {
  sh('echo mine >> both.txt; echo scratch > scratch.txt');
  const agent = repository.agent(
    '#!/bin/sh\ncat > /dev/null; sed -i "s/^both 1/theirs/" both.txt\n',
  );
  const end = await repository.run('run', '--autostash', '--agent-command', agent);
  expect(end.status).toBe(0);
  expect(repository.git('status', '--porcelain')).toBe('');
  const [, command = ''] = /to bring it back: (git stash apply \S+)/.exec(end.stderr) ?? [];
  expect(command).toBe('git stash apply refs/skeleton/autostash/plan/1');
  expect(end.stderr).toContain('the same files changed meanwhile (both.txt)');
  sh(command);
  const both = readFileSync(join(repository.top, 'both.txt'), 'utf8');
  expect([both.startsWith('theirs\n'), both.endsWith('mine\n')]).toEqual([true, true]);
  expect(readFileSync(join(repository.top, 'scratch.txt'), 'utf8')).toBe('scratch\n');
});

test('where an ignored file has taken a place, too', async () => {
  repository.write('scratch.txt', 'mine\n');
  const script = '#!/bin/sh\ncat > /dev/null; touch one; echo scratch.txt > .gitignore\n';
  const agent = repository.agent(`${script}echo theirs > scratch.txt\n`);
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  const end = await repository.run(
    'run',
    '--autostash',
    '--attempts',
    '1',
    '--agent-command',
    agent,
  );
  expect(end.status).toBe(0);
  expect(readFileSync(join(repository.top, 'scratch.txt'), 'utf8')).toBe('theirs\n');
  expect(repository.git('show', 'refs/skeleton/autostash/plan/1:scratch.txt')).toBe('mine');
});

const stashed = (): ReturnType<UserRepository['run']> =>
  repository.run('run', '--autostash', '--agent-command', repository.agent(doer));
const lies = (path: string): boolean => existsSync(join(repository.top, path));

test('ignored files where a tracked one has to stand during the run come back too', async () => {
  sh(`git rm -q --cached late.txt; echo late.txt >> .gitignore; echo MINE > late.txt; chmod 640 late.txt
    rm both.txt; mkdir -p both.txt/in/er; echo k > both.txt/k; echo precious > both.txt/x.log
    echo deep > both.txt/in/er/y.log; chmod 750 both.txt/in; chmod 711 both.txt/in/er
    rm mode.txt; mkdir mode.txt; echo only > mode.txt/only.log`);
  const before = picture();
  const end = await stashed();
  expect([end.status, end.stderr]).toEqual([0, expect.stringContaining('is back where it was')]);
  expect(picture()).toEqual(before);
  expect(readFileSync(join(repository.top, 'late.txt'), 'utf8')).toBe('MINE\n');
  expect(['both.txt/x.log', 'both.txt/in/er/y.log', 'mode.txt/only.log'].every(lies)).toBe(true);
});

test('and after kill -9; where their place is taken, it is said where they are', async () => {
  sh('rm both.txt; mkdir both.txt; echo k > both.txt/k; echo precious > both.txt/x.log');
  const before = picture();
  for (let times = 0; times < 2; times += 1) {
    const { child, ended } = repository.start(['run', '--autostash', '--agent-command', slow()]);
    await untilWorking();
    child.kill('SIGKILL');
    await ended;
    rmSync(join(repository.outside, 'working'));
    await repository.run('undo');
    expect(picture()).toEqual(before);
  }
  const agent = repository.agent(
    '#!/bin/sh\ncat > /dev/null; sed -i "s/^both 1/theirs/" both.txt\n',
  );
  const end = await repository.run('run', '--autostash', '--agent-command', agent);
  expect(end.status).toBe(0);
  const [, where = ''] = /are now at (.*)\n/.exec(end.stderr) ?? [];
  expect(readFileSync(join(where, 'x.log'), 'utf8')).toBe('precious\n');
});

test('what only an uncommitted rule ignores is set aside with the rule', async () => {
  sh(`echo priv > priv.txt; mkdir -p deps/a; echo a > deps/a/a; chmod 700 deps; echo l > l.log
    printf 'priv.txt\ndeps/\n' >> .gitignore`);
  repository.write('gates/check.sh', '#!/bin/sh\ntest ! -e priv.txt && test ! -e deps\n');
  sh('git add gates; git commit -qm gate');
  const before = picture();
  const end = await stashed();
  expect([end.status, end.stderr]).toEqual([0, expect.stringContaining('is back where it was')]);
  expect(picture()).toEqual(before);
  expect(['priv.txt', 'deps/a/a', 'l.log'].every(lies)).toBe(true);
});

test('a second time, exact bytes are those of the second time', async () => {
  repository.write('PLAN.md', '- [ ] One {#one}\n- [ ] Two {#two}\n');
  repository.git('commit', '--quiet', '--all', '--message=two');
  repository.git('config', 'core.autocrlf', 'input');
  const agent = repository.agent('#!/bin/sh\ncat > /dev/null; touch "$SKELETON_TASK_ID"\n');
  for (const text of ['first\r\n', 'second\r\n']) {
    repository.write('late.txt', text);
    const end = await repository.run(
      ...['run', '--autostash', '--limit', '1', '--agent-command', agent],
    );
    expect(end.status).toBe(0);
    expect(readFileSync(join(repository.top, 'late.txt'), 'utf8')).toBe(text);
  }
});

test('after kill -9, restore puts it back, and gets the very attempt that was cut off', async () => {
  workOn();
  const before = picture();
  const { child, ended } = repository.start(['run', '--autostash', '--agent-command', slow()]);
  await untilWorking();
  child.kill('SIGKILL');
  await ended;
  const end = await repository.run('restore', 'one#1');
  expect([end.status, end.stderr]).toEqual([0, expect.stringContaining('back where it was')]);
  expect(picture()).toEqual(before);
  expect(repository.git('show', '--name-only', '--format=', 'skeleton-restore/plan/one/1')).toBe(
    'one\nonly/kept.txt',
  );
});

test('what git cannot hold is refused, and nothing is touched', async () => {
  workOn();
  mkdirSync(join(repository.top, 'inner'));
  sh('git init -q inner; cd inner; git commit -q --allow-empty -m inner');
  const before = photograph(repository);
  const end = await repository.run('run', '--autostash', '--agent-command', repository.agent(doer));
  expect([end.status, end.stderr]).toEqual([3, expect.stringContaining('inner')]);
  expect(photograph(repository)).toEqual(before);
  expect(asides()).toBe('');
});
