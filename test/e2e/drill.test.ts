import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { photograph } from '../support/git-lab.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

let user: UserRepository;
let temporary: string;
const own = (): NodeJS.ProcessEnv => ({ TMPDIR: temporary });

beforeEach(() => {
  user = makeUserRepository();
  temporary = join(user.outside, 'tmp');
  mkdirSync(temporary);
});
afterEach(() => {
  user.remove();
});

/** Every byte of the work tree and of the git folder. */
function digest(): string {
  const hash = createHash('sha256');
  const lab = { ...user, path: (name: string) => join(user.top, name) };
  hash.update(JSON.stringify(photograph(lab)));
  for (const folder of [user.top, join(user.top, '.git')])
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        hash.update(`${entry.name}\0`).update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest('hex');
}

describe('skeleton drill', () => {
  test('does damage, forgery and a kill to a clone only, and leaves nothing', async () => {
    user.write('gates/fine.sh', '#!/bin/sh\nexit 0\n');
    user.write('übung/größe.txt', 'ä\n');
    user.write('.gitignore', 'out/\n*.tmp\n');
    user.write('.skeleton.yml', 'branch: work\nmax_time: 1ms\nlimit: 1\nprotect: [übung/**]\n');
    user.git('add', '-A');
    user.git('commit', '-qm', 'more');
    user.write('uncommitted', 'mine\n');
    user.write('out/x', 'ignored\n');
    const before = digest();
    const names = [
      'edits, new files, deletions',
      'every gate rewritten to exit 0',
      'killed after the agent committed and switched',
      'a process left: nohup',
    ];
    const { status, stdout, stderr } = await user.start(['drill', ...names], own()).ended;
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^your 1 gate pass on a clean/)]);
    expect(stdout.replace(/time .*/, 'time')).toBe(
      '2 kinds of damage: 2 restored exactly\nfalse passes: 0 of 1\nkilled once: carried on 1\nprocesses left: 0\ntime\n',
    );
    expect(digest()).toBe(before);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('says what cannot be done here, and keeps the clone where it is asked to', async () => {
    user.git('rm', '-q', 'README.md');
    user.write('README.md/x', 'a folder where the kinds expect a file\n');
    user.git('add', '-A');
    user.git('commit', '-qm', 'odd');
    const args = ['drill', 'renames', '--keep', '--json'];
    const { status, stdout, stderr } = await user.start(args, own()).ended;
    const [trial, end] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect([status, stderr]).toEqual([0, expect.stringContaining('kept: cd ')]);
    expect(trial).toMatchObject({ name: 'renames' });
    expect(end).toMatchObject({ status: 0, trials: 1 });
    expect(readdirSync(temporary)).toHaveLength(1);
  });

  test('an interrupt takes the clone and its processes away', async () => {
    const { child, ended } = user.start(['drill', 'kill'], own());
    while (
      !readdirSync(temporary, { recursive: true }).some((name) => String(name).includes('kind-1'))
    )
      await sleep(20);
    child.kill('SIGINT');
    const { status, stdout } = await ended;
    expect([status, stdout]).toEqual([
      130,
      expect.stringMatching(/^interrupted: 4 of 4 kinds were not tried\n/),
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test.each([[['drill', 'renames']], [['gc']]])(
    'what a kill left is taken away by %s, but not what was kept',
    async (next) => {
      const kept = join(temporary, 'skeleton drill kept x');
      mkdirSync(kept);
      const { child, ended } = user.start(['drill', 'kill'], own());
      while (
        !readdirSync(temporary, { recursive: true }).some((name) => String(name).includes('kind-1'))
      )
        await sleep(20);
      child.kill('SIGKILL');
      await ended;
      expect(readdirSync(temporary)).toHaveLength(2);
      expect((await user.start(next, own()).ended).status).toBe(0);
      expect(readdirSync(temporary)).toEqual(['skeleton drill kept x']);
    },
  );

  test('says what it needs, and what kinds there are', async () => {
    const empty = makeUserRepository('none');
    try {
      empty.git('init', '-q');
      const { status, stderr } = await empty.run('drill');
      expect([status, stderr]).toEqual([3, expect.stringContaining('no commit to clone yet')]);
    } finally {
      empty.remove();
    }
    const unknown = await user.run('drill', 'a FIFA');
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("did you mean 'a FIFO'?"),
    ]);
    const group = await user.run('drill', 'forgry');
    expect(group.stderr).toContain("did you mean 'forgery'?");
    const part = await user.run('drill', 'nohup');
    expect(part.stderr).toContain("did you mean 'a process left: nohup'?");
    const list = await user.run('drill', '--list');
    expect(list.stdout.split('\n').length).toBeGreaterThan(100);
    expect(list.stdout).toMatch(/^kill {7}killed while a gate judges$/m);
  });
});
