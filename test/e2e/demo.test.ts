import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

let user: UserRepository;
let temporary: string;
/** Nothing that a person has to have: no identity, no repository, no configuration. */
const nothing = (): NodeJS.ProcessEnv => ({
  TMPDIR: temporary,
  HOME: join(user.outside, 'home'),
  GIT_CONFIG_GLOBAL: '/dev/null',
});

beforeEach(() => {
  user = makeUserRepository('none');
  temporary = join(user.outside, 'tmp');
  mkdirSync(temporary);
  mkdirSync(join(user.outside, 'home'));
});
afterEach(() => {
  user.remove();
});

describe('skeleton demo', () => {
  test('shows a rejected attempt, three passed tasks and how to look around; nothing is left', async () => {
    const { status, stdout, stderr } = await user.start(['demo'], nothing()).ended;
    expect([status, stderr.includes('This is a bug')]).toEqual([0, false]);
    expect(stderr).toContain('✗ top  attempt 1/5 rejected by 20-tests.sh');
    for (const task of ['count', 'top', 'command'])
      expect(stderr).toMatch(new RegExp(`^✔ ${task} {2}passed`, 'm'));
    expect(stderr).toContain('3 passed in ');
    for (const command of [
      'git log --oneline --decorate',
      'skeleton status',
      'skeleton log',
      'skeleton show top#1',
    ])
      expect(stdout).toContain(`$ ${command}\n`);
    expect(stdout).toContain('tag: skeleton/plan/0003-command');
    expect(stdout).toContain('PLAN.md: 3 of 3 passed');
    expect(stdout).toMatch(/^top#1 .* rejected .* rejected by 20-tests\.sh$/m);
    expect(stdout).toContain('topWords ignores case');
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(user.top)).toEqual([]);
    expect(readdirSync(join(user.outside, 'home'))).toEqual([]);
  });

  test('--keep leaves a repository in which the work is done and committed', async () => {
    const { status, stderr } = await user.start(['demo', '--keep'], nothing()).ended;
    expect(status).toBe(0);
    const [name = ''] = readdirSync(temporary);
    const folder = join(temporary, name);
    expect(stderr).toContain(
      `The repository is still there: cd '${folder.replaceAll("'", String.raw`'\''`)}'`,
    );
    expect(readFileSync(join(folder, 'PLAN.md'), 'utf8').match(/^- \[x\]/gm)).toHaveLength(3);
    const git = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
    expect(git('status', '--porcelain')).toBe('');
    expect(
      git('log', '--format=%(trailers:key=Skeleton-Task,valueonly,separator=)').trim().split(/\s+/),
    ).toEqual(['command', 'top', 'count']);
    const counted = execFileSync(process.execPath, ['src/main.mjs'], {
      cwd: folder,
      input: 'a b a',
    });
    expect(String(counted)).toBe('3\n2 a\n1 b\n');
  });

  test('runs inside somebody’s repository without touching it', async () => {
    rmSync(user.top, { recursive: true });
    mkdirSync(user.top);
    user.git('init', '--quiet');
    const { status } = await user.start(['demo'], nothing()).ended;
    expect(status).toBe(0);
    expect(user.git('status', '--porcelain')).toBe('');
    expect(user.git('for-each-ref')).toBe('');
  });
});
