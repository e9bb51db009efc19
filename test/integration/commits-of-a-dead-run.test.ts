import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

let house: UserRepository;
beforeEach(() => {
  house = makeUserRepository();
});
afterEach(() => house.remove());

async function appears(path: string): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (existsSync(path)) return;
    await sleep(50);
  }
  throw new Error(`${path} did not appear`);
}

/** A run that is killed in its gate, a second after its agent committed without the mark that the reflog would show. */
async function killedRun(): Promise<{ readonly again: () => Promise<readonly string[]> }> {
  const ready = join(house.outside, 'ready');
  const go = join(house.outside, 'go');
  house.write('PLAN.md', '---\nbaseline: skip\ngates: [sh gate.sh]\n---\n- [ ] One\n');
  house.write('gate.sh', '[ -f "$OUTSIDE/go" ] || { touch "$OUTSIDE/ready"; sleep 60; }\n');
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=plan');
  const agent = house.agent(`cat >/dev/null; unset GIT_REFLOG_ACTION
[ -f "$OUTSIDE/go" ] || { echo x >hidden; git add -A; git commit -qm hidden; sleep 1.2; }
echo work >work.txt
`);
  const args = ['run', '--agent-command', agent];
  const env = { OUTSIDE: house.outside };
  const { child, ended } = house.start(args, env);
  await appears(ready);
  child.kill('SIGKILL');
  await ended;
  return {
    again: async () => {
      writeFileSync(go, '');
      const { status, stderr } = await house.start(args, env).ended;
      expect({ status, stderr }).toMatchObject({ status: 0 });
      return house.git('log', '--format=%s').split('\n');
    },
  };
}

test('a commit that hides whose it is belongs to the attempt: the run was alive after it', async () => {
  const { again } = await killedRun();
  expect(await again()).toEqual(['One', 'plan', 'first commit']);
});

test('a commit that was made after the run died stays on the branch', async () => {
  const { again } = await killedRun();
  await sleep(1100);
  house.git('commit', '--quiet', '--allow-empty', '--message=mine');
  expect((await again()).slice(0, 2)).toEqual(['One', 'mine']);
});
