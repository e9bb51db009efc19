import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { killedIn, makeUserRepository, type UserRepository } from '../support/user-repository.ts';

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

test("kept work that a run was laying out when it died is not taken for the user's", async () => {
  house.write(
    'PLAN.md',
    '---\nbaseline: skip\ngates: [{run: sh gate.sh, retries: 0}]\n---\n- [ ] One\n',
  );
  house.write('gate.sh', 'exit 75\n');
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=plan');
  const args = ['run', '--agent-command', house.agent('cat >/dev/null; echo work >work.txt')];
  expect((await house.run(...args)).status).toBe(4);
  house.write('gate.sh', 'exit 0\n');
  house.git('commit', '--quiet', '--all', '--message=gate');
  const laying = killedIn('after git read-tree -m');
  expect((await house.start(args, laying).ended).status).toBeNull();
  expect(house.git('status', '--porcelain')).toBe('?? work.txt');
  const { status, stderr } = await house.run(...args);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(house.git('status', '--porcelain')).toBe('');
});

test('the temporary folder of a step that a kill left goes with the next run', async () => {
  house.write('PLAN.md', '---\nbaseline: skip\ngates: ["true"]\n---\n- [ ] One\n');
  const TMPDIR = join(house.outside, 'tmp');
  mkdirSync(TMPDIR);
  const args = ['run', '--agent-command', house.agent('cat >/dev/null; echo work >work.txt')];
  const killed = { ...killedIn('at the start of mkfifo'), TMPDIR };
  expect((await house.start(args, killed).ended).status).toBeNull();
  expect(readdirSync(TMPDIR)).toHaveLength(1);
  expect((await house.start(args, { TMPDIR }).ended).status).toBe(0);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
