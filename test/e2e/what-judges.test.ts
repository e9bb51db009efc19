import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

let house: UserRepository;

beforeEach(() => {
  house = makeUserRepository();
});
afterEach(() => house.remove());

test.each([
  ['scripts/t.sh', 'scripts/t.sh'],
  ['sh ./scripts/t.sh --all', 'scripts/t.sh'],
])(
  'a script that the gate `%s` starts is the gate: an agent that rewrites it does not pass',
  async (gate) => {
    house.write('scripts/t.sh', '#!/bin/sh\nexit 1\n');
    house.git('add', '--all');
    house.git('commit', '--quiet', '--message=scripts');
    house.write('PLAN.md', `---\ngates: ['${gate}']\n---\n- [ ] One\n`);
    const agent = house.agent(
      `cat >/dev/null; printf '#!/bin/sh\\nexit 0\\n' >scripts/t.sh; echo y >y`,
    );
    const { status, stderr } = await house.run('run', '--attempts=1', '--agent-command', agent);
    expect(status).toBe(1);
    expect(stderr).toContain('changed what judges it: scripts/t.sh');
    expect(readFileSync(join(house.top, 'scripts/t.sh'), 'utf8')).toContain('exit 1');
  },
);

test('a gate that could not judge may be mended: the same work is judged again, without the agent', async () => {
  house.write('gates/a.sh', '#!/bin/sh\nexit 75\n');
  house.write('PLAN.md', '- [ ] One\n');
  const agent = house.agent(`cat >/dev/null; echo y >y; echo x >>"${house.outside}/calls"`);
  const first = await house.run('run', '--agent-command', agent);
  expect(first.status).toBe(4);
  house.write('gates/a.sh', '#!/bin/sh\ntest -f y\n');
  const second = await house.run('run', '--agent-command', agent);
  expect({ status: second.status, stderr: second.stderr }).toMatchObject({ status: 0 });
  expect(readFileSync(`${house.outside}/calls`, 'utf8')).toBe('x\n');
});

test('work that touches what a person changed meanwhile is not laid over it: the agent begins anew', async () => {
  house.write('gates/a.sh', '#!/bin/sh\nexit 75\n');
  house.write('PLAN.md', '- [ ] One\n');
  const agent = house.agent('cat >/dev/null; echo agent >>README.md');
  expect((await house.run('run', '--agent-command', agent)).status).toBe(4);
  house.write('gates/a.sh', '#!/bin/sh\nexit 0\n');
  house.write('README.md', 'person\n');
  house.git('commit', '--quiet', '--message=person', 'README.md');
  const { status, stderr } = await house.run('run', '--agent-command', agent);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain('the agent begins anew');
  expect(readFileSync(join(house.top, 'README.md'), 'utf8')).toBe('person\nagent\n');
});

test('a gate that deletes our state leaves no tick behind', async () => {
  house.write('gates/a.sh', '#!/bin/sh\n[ -f y ] && rm -rf .git/skeleton\nexit 1\n');
  house.write('PLAN.md', '- [ ] One\n');
  const agent = house.agent('cat >/dev/null; echo y >y');
  const { status } = await house.run('run', '--attempts=1', '--agent-command', agent);
  expect([1, 4]).toContain(status);
  expect(readFileSync(join(house.top, 'PLAN.md'), 'utf8')).toBe('- [ ] One\n');
  expect(house.git('status', '--porcelain')).toBe('');
  expect(house.git('for-each-ref', 'refs/skeleton/attempts')).not.toBe('');
});

test('check names what a gate rests on and nothing protects, and does not ask for an agent', async () => {
  house.write('package.json', '{}\n');
  house.write('gates/a.sh', '#!/bin/sh\nnpm test\n');
  house.write('PLAN.md', '- [ ] One\n');
  rmSync(join(house.top, 'README.md'));
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=all');
  const { status, stdout } = await house.run('check');
  expect(status).toBe(0);
  expect(stdout).toContain('gate a.sh rests on package.json, which an agent may rewrite');
});

test('an ignored file that the attempt made where sources live is told, and the next prompt says so', async () => {
  house.write('.gitignore', '*.gen.js\n');
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=ignore');
  house.write('gates/a.sh', '#!/bin/sh\ntest -f done\n');
  house.write('PLAN.md', '- [ ] One\n');
  const agent = house.agent(
    `cat >"${house.outside}/prompt.$SKELETON_ATTEMPT"; mkdir -p src; echo x >src/a.gen.js; echo y >y; [ $SKELETON_ATTEMPT = 2 ] && touch done; exit 0`,
  );
  const { status, stderr } = await house.run('run', '--agent-command', agent);
  expect(status).toBe(0);
  expect(stderr).toContain('ignored by git, so in no checkpoint: src/a.gen.js');
  expect(readFileSync(`${house.outside}/prompt.2`, 'utf8')).toContain('src/a.gen.js');
});

test('a gate that fixes may have something to fix from the start', async () => {
  house.write(
    'PLAN.md',
    `---\ngates:\n  - {name: fmt, run: 'grep -q fixed a.txt || echo fixed >>a.txt', fix: true}\n  - test -f a.txt\n---\n- [ ] One\n`,
  );
  house.write('a.txt', 'a\n');
  house.git('add', 'a.txt');
  house.git('commit', '--quiet', '--message=a');
  const agent = house.agent('cat >/dev/null; echo y >y');
  const { status, stderr } = await house.run('run', '--agent-command', agent);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(house.git('show', 'HEAD:a.txt')).toBe('a\nfixed');
});

test('an attempt kept by a history that is lost keeps its name: the next one takes another', async () => {
  house.write('gates/a.sh', '#!/bin/sh\ntest ! -e y\n');
  house.write('PLAN.md', '- [ ] One\n');
  const agent = house.agent('cat >/dev/null; date +%N >y');
  await house.run('run', '--attempts=1', '--agent-command', agent);
  const first = house.git('rev-parse', 'refs/skeleton/attempts/plan/one/1');
  rmSync(join(house.top, '.git/skeleton'), { recursive: true });
  const { status } = await house.run('run', '--attempts=1', '--agent-command', agent);
  expect(status).toBe(1);
  expect(house.git('rev-parse', 'refs/skeleton/attempts/plan/one/1')).toBe(first);
  expect(house.git('for-each-ref', 'refs/skeleton/attempts').split('\n')).toHaveLength(2);
});

test('a gate that changes the untouched tree is refused each time, and what it did is put back', async () => {
  house.write('gates/a.sh', '#!/bin/sh\necho x >>README.md\n');
  house.write('PLAN.md', '- [ ] One\n');
  const agent = house.agent('cat >/dev/null; echo y >y');
  for (const time of [1, 2]) {
    const { status, stderr } = await house.run('run', '--agent-command', agent);
    expect({ time, status, stderr }).toMatchObject({ status: 3 });
    expect(readFileSync(join(house.top, 'README.md'), 'utf8')).toBe('hello\n');
  }
});
