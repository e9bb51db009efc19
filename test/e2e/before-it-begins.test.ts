import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

const agent = 'cat >/dev/null; echo "$SKELETON_TASK_ID" >>out.txt';

let house: UserRepository;
beforeEach(() => {
  house = makeUserRepository();
  house.write('PLAN.md', '- [ ] One\n');
  house.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
});
afterEach(() => {
  // Node's own rm cannot name what lies too deep.
  execFileSync('rm', ['-rf', join(house.top, '.git/skeleton/quarantine')]);
  house.remove();
});

describe('a plan or gate that is staged only in part begins the run', () => {
  test.each([
    ['staged, then edited', ['add', 'PLAN.md'], 'PLAN.md'],
    ['only announced', ['add', '--intent-to-add', 'PLAN.md'], undefined],
    ['a gate staged, then edited', ['add', 'gates'], 'gates/check.sh'],
  ])('%s', async (_, command, edited) => {
    house.git(...command);
    if (edited === 'PLAN.md') house.write('PLAN.md', '- [ ] One\n- [ ] Two\n');
    if (edited === 'gates/check.sh') house.write(edited, '#!/bin/sh\n# more\nexit 0\n');
    const { status, stderr } = await house.run('run', '--agent-command', house.agent(agent));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(house.git('status', '--porcelain')).toBe('');
  });

  test.each([true, false])('a gate unstaged, with a new plan: %s', async (isNew) => {
    house.git('add', ...(isNew ? ['gates'] : ['--all']));
    house.git('commit', '--quiet', '--message=gates');
    house.git('rm', '--quiet', '--cached', 'gates/check.sh');
    const { status, stderr } = await house.run('run', '--agent-command', house.agent(agent));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(house.git('ls-files', 'gates')).toBe('gates/check.sh');
    expect(house.git('status', '--porcelain')).toBe('');
  });
});

test('without an identity, run and check name the command that mends it', async () => {
  house.git('config', 'user.useConfigOnly', 'true');
  const env = { GIT_CONFIG_GLOBAL: '/dev/null', HOME: house.outside };
  for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL'])
    expect(process.env[name]).toBe(undefined);
  for (const args of [['run', '--agent-command', house.agent(agent)], ['check']]) {
    const { status, stdout, stderr } = await house.start(args, env).ended;
    expect({ args, status, stderr }).toMatchObject({ status: 3 });
    expect(stdout + stderr).toContain('git config --global user.email');
  }
});

test.each(['skip-worktree', 'assume-unchanged'])(
  'a change hidden by %s is named with its mend',
  async (flag) => {
    house.git('update-index', `--${flag}`, 'README.md');
    house.write('README.md', 'changed\n');
    const { status, stderr } = await house.run('run', '--agent-command', house.agent(agent));
    expect(status).toBe(3);
    expect(stderr).toContain(`git update-index --no-${flag} -- 'README.md'`);
  },
);

describe('ignored files of an attempt that passes', () => {
  test.each([
    ['deleted by the agent', 'rm ign', '', 'gone'],
    ['changed by the agent', 'echo other >ign', '', 'changed'],
    ['deleted by a gate', ':', 'rm -f ign', 'gone'],
  ])('%s are named', async (_, byAgent, byGate, word) => {
    house.write('.gitignore', 'ign\n');
    house.write('ign', 'mine\n');
    house.write(
      'gates/check.sh',
      `#!/bin/sh\n[ -z "$SKELETON_ATTEMPT" ] || [ ! -f out.txt ] && exit 0\n${byGate}\nexit 0\n`,
    );
    house.git('add', '--all');
    house.git('commit', '--quiet', '--message=all');
    const script = `${agent}; ${byAgent}`;
    const { status, stderr } = await house.run('run', '--agent-command', house.agent(script));
    expect(status).toBe(0);
    expect(stderr).toMatch(new RegExp(`notice.*ignored by git, and ${word} since.*ign`));
  });
});

describe('what the machine lacks is said with 3, and nothing is made', () => {
  const commands = ['gate', 'verify', 'take one', 'drill', 'demo'].map((line) => line.split(' '));

  test.each([['run', '--agent-command', 'true'], ...commands])('no TMPDIR: %s', async (...args) => {
    const TMPDIR = join(house.outside, 'not there');
    const { status, stderr } = await house.start(args, { TMPDIR }).ended;
    expect({ status, stderr }).toMatchObject({ status: 3 });
    expect(stderr).toContain(`the temporary folder ${TMPDIR} is not there\nto mend it:\n`);
    expect(existsSync(join(house.top, '.git/skeleton'))).toBe(false);
  });

  test('no TMPDIR: doctor', async () => {
    const { status, stdout } = await house.start(['doctor'], { TMPDIR: '/proc' }).ended;
    expect({ status, stdout }).toMatchObject({ status: 3 });
    expect(stdout).toContain('problem  nothing can be made in the temporary folder /proc (');
  });

  test.each(['run', 'check', 'status', 'gc', 'undo'])('no git: %s', async (command) => {
    const { status, stderr } = await house.start([command], { PATH: house.outside }).ended;
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/^skeleton: git is not installed: /),
    ]);
  });

  test('no git: doctor', async () => {
    const { status, stdout } = await house.start(['doctor'], { PATH: house.outside }).ended;
    expect({ status, stdout }).toMatchObject({ status: 3 });
    expect(stdout).toContain('problem  git is not installed\n');
    expect(stdout).not.toContain('    at ');
  });

  test.each([['run', '--agent-command', 'true'], ['undo'], ['verify'], ['take', 'one']])(
    'no commit: %s',
    async (...args) => {
      const empty = makeUserRepository('none');
      try {
        empty.git('init', '--quiet');
        empty.write('PLAN.md', '- [ ] One\n');
        empty.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
        const { status, stderr } = await empty.run(...args);
        expect([status, stderr]).toEqual([3, expect.stringContaining('there is no commit yet\n')]);
        expect(existsSync(join(empty.top, '.git/skeleton'))).toBe(false);
      } finally {
        empty.remove();
      }
    },
  );

  test('no plan', async () => {
    const { status } = await house.run('run', '--plan', 'B.md', '--agent-command', 'true');
    expect(status).toBe(2);
    expect(existsSync(join(house.top, '.git/skeleton'))).toBe(false);
  });
});

describe('a submodule', () => {
  beforeEach(() => {
    const other = join(house.outside, 'other');
    mkdirSync(other);
    house.git('init', '--quiet', other);
    house.git('-C', other, 'commit', '--quiet', '--allow-empty', '--message=sub');
    house.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'subm');
    house.write('gates/check.sh', '#!/bin/sh\ntest -f good.txt\n');
    house.git('add', '--all');
    house.git('commit', '--quiet', '--message=all');
  });

  test('that an attempt replaces by a file is named with the command that fills it again', async () => {
    const bad = house.agent('cat >/dev/null; rm -rf subm; echo f >subm');
    const { status, stderr } = await house.run('run', '--agent-command', bad);
    expect({ status, stderr }).toMatchObject({ status: 4 });
    expect(stderr).toContain("git submodule update --init -- 'subm'");
    expect(house.git('show', 'refs/skeleton/attempts/plan/one/1:subm')).toBe('f');
    expect(house.git('status', '--porcelain')).toBe('');
    house.git('submodule', '--quiet', 'update', '--init', '--', 'subm');
    const good = house.agent('cat >/dev/null; echo g >good.txt');
    const next = await house.run('run', '--agent-command', good);
    expect({ status: next.status, stderr: next.stderr }).toMatchObject({ status: 0 });
    expect(existsSync(join(house.top, 'subm/.git'))).toBe(true);
  });
});

test('objects that an attempt deleted are named as lost, in each run after it too', async () => {
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=all');
  const bad = house.agent('cat >/dev/null; rm -rf .git/objects/*');
  for (const nth of [1, 2]) {
    const { status, stderr } = await house.run('run', '--agent-command', bad);
    expect({ nth, status, stderr }).toMatchObject({ status: 4 });
    expect(stderr).toContain('only a clone elsewhere has them');
    expect(stderr).not.toContain('is kept');
  }
});

test('folders too deep to be named are rejected by name and set aside', async () => {
  const deep = 'for i in $(seq 300); do mkdir aaaaaaaaaaaaaaaaaaaa; cd aaaaaaaaaaaaaaaaaaaa; done';
  const bad = house.agent(`cat >/dev/null; (${deep}; echo q >q); (cd gates; ${deep}); true`);
  const { status, stdout, stderr } = await house.run(
    'run',
    '--attempts',
    '1',
    '--agent-command',
    bad,
  );
  expect({ status, stderr }).toMatchObject({ status: 1 });
  expect(stdout + stderr).toContain('git cannot hold');
  expect(house.git('status', '--porcelain')).toBe('');
  const next = await house.run('run', '--agent-command', house.agent(agent));
  expect({ status: next.status, stderr: next.stderr }).toMatchObject({ status: 0 });
});

test('where all is done nobody has to be there to do it', async () => {
  house.write('PLAN.md', '- [x] One\n- [-] Two\n');
  const { status, stdout, stderr } = await house.start(['run'], {
    HOME: house.outside,
    PATH: '/usr/bin:/bin',
  }).ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stdout).toContain('nothing to do');
});
