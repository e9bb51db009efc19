import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fenceRef, isolateBranch } from '../../src/core/refs.ts';
import { openBeside } from '../../src/git/beside.ts';
import { pushOffConfig } from '../../src/git/push-off.ts';
import { openRemote } from '../../src/git/remote.ts';
import { openRepository } from '../../src/git/repository.ts';
import { openWorkspace } from '../../src/git/workspace.ts';
import { anAttempt, someRules } from '../support/git-lab.ts';
import {
  begun,
  branch,
  makeRemoteLab,
  plan,
  publicationOf,
  type Machine,
  type RemoteLab,
} from '../support/remote-lab.ts';

let lab: RemoteLab;
let one: Machine;
let elsewhere: string;

beforeEach(async () => {
  lab = makeRemoteLab();
  one = await lab.machine('one');
  elsewhere = join(lab.folder, 'elsewhere.git');
  one.git('clone', '-q', '--bare', lab.bare, elsewhere);
});
afterEach(() => {
  lab.remove();
});

const refsElsewhere = (): string =>
  execFileSync('git', ['for-each-ref', '--format=%(refname)'], {
    cwd: elsewhere,
    encoding: 'utf8',
  });

/** Ways to send our pushes to another place, run by an agent in its work tree. */
const misdeeds: readonly (readonly string[])[] = [
  ['remote.origin.pushurl', 'ELSEWHERE'],
  ['remote.origin.url', 'ELSEWHERE'],
  ['url.ELSEWHERE.insteadOf', 'BARE'],
  ['url.ELSEWHERE.pushInsteadOf', 'BARE'],
  ['remote.origin.receivepack', 'touch ../ran; git-receive-pack'],
  ['core.sshCommand', 'touch ../ran'],
  ['credential.helper', '!touch ../ran'],
];

describe('settings that an agent wrote', () => {
  test('are put back with its attempt, so that pushes go where they went', async () => {
    const base = await begun(one);
    const repository = await openRepository(one.top, process.env);
    const { folder } = await openBeside(repository, plan, isolateBranch('mine'));
    const workspace = await openWorkspace({ cwd: folder });
    const rules = someRules({
      plan: { ...someRules().plan, before: readFileSync(join(folder, 'PLAN.md')) },
    });
    const settings = one.git('config', '--list');
    for (const [nth, [key = '', value = '']] of misdeeds.entries()) {
      const attempt = { ...anAttempt, number: nth + 1 };
      await workspace.begin(attempt, rules);
      const filled = [key, value].map((text) =>
        text.replace('ELSEWHERE', elsewhere).replace('BARE', lab.bare),
      );
      execFileSync('git', ['config', ...filled], { cwd: folder });
      await workspace.rollBack(attempt);
      expect([key, one.git('config', '--list')]).toEqual([key, settings]);
      const remote = openRemote(await openRepository(folder, process.env), 'origin');
      const fence = await remote.takeFence(plan, `task-${nth}`, 'w');
      expect([key, lab.at(fence.ref)]).toEqual([key, fence.at]);
    }
    expect(lab.at(branch)).toBe(base);
    expect(refsElsewhere()).toBe('refs/heads/main\n');
    expect(() => readFileSync(join(lab.folder, 'ran'))).toThrow();
  });

  test('do not move a remote that was opened before, even while the attempt goes on', async () => {
    const base = await begun(one);
    one.git('config', 'remote.origin.pushurl', elsewhere);
    one.git('config', 'remote.origin.url', elsewhere);
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    const publication = publicationOf(one, { base, fence });
    expect(await one.remote.publish(publication)).toEqual({ kind: 'done' });
    expect(lab.at(branch)).toBe(publication.commit);
    expect(refsElsewhere()).toBe('refs/heads/main\n');
  });
});

test('that agents cannot push does not keep us from it', async () => {
  const system = join(lab.folder, 'push off');
  writeFileSync(system, await pushOffConfig(await openRepository(one.top, process.env)));
  const { GIT_CONFIG_NOSYSTEM: _, ...rest } = process.env;
  const asAgent = { ...rest, GIT_CONFIG_SYSTEM: system };
  const push = ['push', '-q', 'origin', 'HEAD:refs/heads/x'];
  const options = { cwd: one.top, env: asAgent, stdio: 'ignore' } as const;
  expect(() => execFileSync('git', push, options)).toThrow();
  await begun(one);
  expect(lab.at(branch)).toBe(one.head());
});

describe('over ssh', () => {
  let said: string;
  const read = (): string => readFileSync(said, 'utf8');
  beforeEach(() => {
    said = join(lab.folder, 'said');
    const bin = join(lab.folder, 'bin');
    execFileSync('mkdir', [bin]);
    for (const name of ['ssh', 'my-ssh'])
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\necho ${name} "$@" >> '${said}'; echo 'Permission denied (publickey).' >&2; exit 255\n`,
        { mode: 0o755 },
      );
    one.git('remote', 'set-url', 'origin', 'git@host.invalid:me/it.git');
  });

  const ask = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
    const path = `${join(lab.folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    const remote = await one.reopen({ ...process.env, PATH: path, ...env });
    await expect(remote.read(fenceRef(plan, 'one'))).rejects.toThrow(
      'the remote origin cannot be reached: Permission denied (publickey).',
    );
  };

  test('nothing is asked, and what no second try mends is not tried again', async () => {
    await ask();
    expect(read()).toMatch(
      /^ssh -o BatchMode=yes .*git@host\.invalid git-upload-pack 'me\/it\.git'\n$/,
    );
  });

  test('a command of the user is left as it is', async () => {
    await ask({ GIT_SSH_COMMAND: 'my-ssh -v' });
    one.git('config', 'core.sshCommand', 'my-ssh -q');
    await ask();
    // Git asks a command that it does not know about itself first.
    const words = read()
      .split('\n')
      .map((line) => line.slice(0, 9));
    expect([...new Set(words)]).toEqual(['my-ssh -v', 'my-ssh -q', '']);
  });
});
