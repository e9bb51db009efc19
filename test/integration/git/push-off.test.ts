import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pushOffConfig } from '../../../src/git/push-off.ts';
import { openRepository } from '../../../src/git/repository.ts';
import { makeFurnishedLab, type Lab } from '../../support/git-lab.ts';

let lab: Lab;
let around: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  lab = makeFurnishedLab();
  around = join(lab.top, '..');
  mkdirSync(join(around, 'home'));
  const { GIT_CONFIG_NOSYSTEM: _, ...rest } = process.env;
  env = {
    ...rest,
    HOME: join(around, 'home'),
    GIT_CONFIG_GLOBAL: file('global', '[user]\n\tname = A\n\temail = a@b\n'),
    GIT_CONFIG_SYSTEM: file('system', '[core]\n\tabbrev = 11\n'),
    GIT_SSH_COMMAND: 'echo ssh was called >&2; false',
  };
  for (const name of ['remote.git', 'other.git'])
    lab.git('init', '--quiet', '--bare', '--initial-branch=before', join(around, name));
  lab.git('remote', 'add', 'origin', join(around, 'remote.git'));
  git(env, 'push', '--quiet', 'origin', 'HEAD:refs/heads/before');
});
afterEach(() => {
  lab.remove();
});

function file(name: string, text: string): string {
  const path = join(around, name);
  writeFileSync(path, text);
  return path;
}

async function asAgent(): Promise<NodeJS.ProcessEnv> {
  const text = await pushOffConfig(await openRepository(lab.top, env));
  return { ...env, GIT_CONFIG_SYSTEM: file('push-off', text) };
}

function git(as: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: lab.top,
    env: as,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const addresses = (): readonly string[] => [
  join(around, 'remote.git'),
  `file://${join(around, 'remote.git')}`,
  'git@host.invalid:me/it.git',
  'ssh://git@host.invalid/me/it.git',
  'https://host.invalid/me/it.git',
];

describe('with the configuration for agents', () => {
  test('a push goes nowhere, whatever the address, and the words say why', async () => {
    for (const url of addresses()) {
      lab.git('remote', 'set-url', 'origin', url);
      const agent = await asAgent();
      for (const target of ['origin', url]) {
        const { status, stderr } = git(agent, 'push', target, 'HEAD:refs/heads/new');
        expect([url, status]).toEqual([url, 128]);
        expect(stderr).toContain('skeleton-push-is-off: agents do not push');
        expect(stderr).not.toContain('ssh was called');
      }
    }
    expect(git(env, '-C', join(around, 'remote.git'), 'branch').stdout).toBe('* before\n');
  });

  test('a remote that the agent adds is no way out either, not even by a rule of the user', async () => {
    const other = join(around, 'other.git');
    writeFileSync(
      join(around, 'global'),
      `[url "${other}"]\n\tpushInsteadOf = "https://mine.invalid/"\n`,
    );
    const agent = await asAgent();
    lab.git('remote', 'add', 'mine', 'https://mine.invalid/');
    lab.git('remote', 'add', 'plain', other);
    expect(git(env, 'push', '--dry-run', 'mine', 'HEAD:refs/heads/x').status).toBe(0);
    for (const remote of ['mine', 'plain'])
      expect(git(agent, 'push', remote, 'HEAD:refs/heads/x').stderr).toContain('push-is-off');
  });

  test('a push address of its own is off, and what lies beside it can be fetched', async () => {
    lab.git('remote', 'set-url', '--push', 'origin', join(around, 'other.git'));
    const agent = await asAgent();
    expect(git(agent, 'push', 'origin', 'HEAD:refs/heads/x').stderr).toContain('push-is-off');
    expect(git(agent, 'fetch', 'origin').status).toBe(0);
  });

  test('so is one that another remote fetches from, and one of a submodule', async () => {
    const [remote, other] = [join(around, 'remote.git'), join(around, 'other.git')];
    lab.git('remote', 'add', 'both', other);
    lab.git('remote', 'set-url', '--push', 'both', remote);
    lab.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', remote, 'a/sub');
    lab.git('-C', 'a/sub', 'remote', 'add', 'mine', 'https://mine.invalid/');
    lab.git('-C', 'a/sub', 'remote', 'set-url', '--push', 'mine', other);
    const agent = await asAgent();
    const head = 'HEAD:refs/heads/x';
    expect(git(env, 'push', '--dry-run', 'both', head).status).toBe(0);
    expect(git(env, '-C', 'a/sub', 'push', '--dry-run', 'mine', head).status).toBe(0);
    expect(git(agent, 'push', 'both', head).stderr).toContain('push-is-off');
    expect(git(agent, '-C', 'a/sub', 'push', 'mine', head).stderr).toContain('push-is-off');
    for (const folder of [remote, other])
      expect(git(env, '-C', folder, 'branch').stdout).not.toContain('x');
    expect(git(agent, 'fetch', 'both').status).toBe(0);
  });

  test('fetch, clone and submodules work, and the settings of the system and of the user hold', async () => {
    const agent = await asAgent();
    expect(git(agent, 'fetch', 'origin').status).toBe(0);
    expect(git(agent, 'ls-remote', 'origin').stdout).toContain('refs/heads/before');
    const remote = join(around, 'remote.git');
    expect(git(agent, 'clone', '--quiet', remote, join(around, 'clone')).status).toBe(0);
    const allowed = ['-c', 'protocol.file.allow=always'];
    expect(git(agent, ...allowed, 'submodule', 'add', '--quiet', remote, 'sub').status).toBe(0);
    expect(git(agent, 'config', 'core.abbrev').stdout.trim()).toBe('11');
    expect(git(agent, 'config', 'user.name').stdout.trim()).not.toBe('');
  });

  test('odd addresses stay one value, and a user who wants no settings of the system gets none', async () => {
    lab.git('remote', 'set-url', 'origin', 'C:\\a "b"#;\nc');
    env = { ...env, GIT_CONFIG_NOSYSTEM: '1' };
    const { GIT_CONFIG_NOSYSTEM: _, ...agent } = await asAgent();
    expect(git(agent, 'push', 'origin', 'HEAD').stderr).toContain('push-is-off');
    expect(git(agent, 'config', 'core.abbrev').stdout).toBe('');
  });
});
