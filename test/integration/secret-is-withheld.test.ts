import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

/** An attempt that was rejected for a secret, looked at where the environment does not hold that secret (any more). */

const secret = 'zq8-Xv4lue-R7mine-4711';

let house: UserRepository;
beforeAll(async () => {
  house = makeUserRepository();
  house.write('gates/a.sh', '#!/bin/sh\n:\n');
  house.write('PLAN.md', '- [ ] One\n');
  // However the user has git show names.
  house.git('config', 'diff.noprefix', 'true');
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=ground');
  const agent = house.agent(
    `cat >/dev/null; mkdir -p 'my dir'; printf '%s\\n' '${secret}' >'my dir/.env'; echo plain >notes`,
  );
  const words = ['run', '--attempts=1', '--agent-command', agent];
  const { status, stderr } = await house.start(words, { DB_PASSWORD: secret }).ended;
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('would commit a secret') as string,
  });
});
afterAll(() => house.remove());

test.each([
  [['show', 'one#1']],
  [['show', 'one#1', '--json']],
  [['report', '--format=html']],
  [['report', '--format=markdown']],
])('%j does not show it, but the other files and how to see it', async (args) => {
  const { status, stdout } = await house.run(...args);
  expect(status).toBe(0);
  expect(stdout).not.toContain('4711');
  if (args.includes('--format=markdown')) return;
  expect(stdout).toContain('plain');
  expect(stdout).toMatch(/withheld: it holds a secret; git diff \w+ refs\/skeleton\/attempts\//);
});

test('the command that is named shows it, also from a folder below', async () => {
  const { stdout } = await house.run('show', 'one#1');
  const command = /withheld: it holds a secret; git (.*) -- '(.*)'$/m.exec(stdout);
  const [, words = '', path = ''] = command ?? [];
  expect(house.git('-C', 'gates', ...words.split(' '), '--', path)).toContain(secret);
});
