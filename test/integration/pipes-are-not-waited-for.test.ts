import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

/** What a command reads beside the repository: somebody may have put a pipe there, which nobody writes into. */

let house: UserRepository;
beforeAll(() => {
  house = makeUserRepository();
  house.write('gates/a.sh', '#!/bin/sh\n:\n');
  house.write('PLAN.md', '- [ ] One\n');
});
afterAll(() => house.remove());

function pipeAt(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
  onTestFinished(() => rmSync(path));
}

async function ended(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly status: number | null; readonly stderr: string }> {
  const { child, ended } = house.start(args, env);
  onTestFinished(() => void child.kill('SIGKILL'));
  return ended;
}

test("the user's own configuration: 2, with its path, and doctor and the ends of runs wait as little", async () => {
  const path = join(house.outside, 'config', 'skeleton', 'config.yml');
  pipeAt(path);
  const env = { XDG_CONFIG_HOME: join(house.outside, 'config') };
  for (const command of ['run', 'check', 'gate', 'doctor', 'init']) {
    const { status, stderr } = await ended([command], env);
    const words = expect.stringContaining(`${path} is no regular file`) as string;
    expect([command, status, stderr]).toEqual([command, 2, words]);
  }
});

test('what an agent keeps of its sign-in', async () => {
  const bin = join(house.outside, 'bin');
  mkdirSync(bin);
  const home = join(house.outside, 'home');
  pipeAt(join(home, '.config/cursor/auth.json'));
  const program = house.write('../outside/bin/cursor-agent', '#!/bin/sh\nexit 1\n');
  chmodSync(program, 0o755);
  const env = { HOME: home, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const { status } = await ended(['doctor'], env);
  expect(status).not.toBeNull();
});
