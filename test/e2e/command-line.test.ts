import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository, skeleton } from '../support/user-repository.ts';
import type { Ended, UserRepository } from '../support/user-repository.ts';

let repository: UserRepository;

beforeEach(() => {
  repository = makeUserRepository();
});
afterEach(() => {
  repository.remove();
});

/** A plan of so many tasks, one gate that always passes, an agent that does them. */
function fill(tasks: number): string {
  const boxes = Array.from({ length: tasks }, (_, at) => `- [ ] Task {#t${at}}\n`);
  repository.write('PLAN.md', boxes.join(''));
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  return repository.agent(
    '#!/bin/sh\ncat > /dev/null\necho "$SKELETON_TASK_ID" > "$SKELETON_TASK_ID"\n',
  );
}

async function appears(path: string): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (existsSync(path)) return;
    await sleep(50);
  }
  throw new Error(`${path} did not appear`);
}

describe('exit status', () => {
  test('usage is 2 and touches nothing', async () => {
    const { status, stdout, stderr } = await repository.run('run', '--attempts', '6');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('from 1 to 5');
  });

  test('no repository is 3, with the command that makes one', async () => {
    for (const command of ['run', 'status', 'log', 'check']) {
      const { status, stderr } = await repository.run(command, '-C', repository.outside);
      expect([command, status]).toEqual([command, 3]);
      expect(stderr).toContain('git init');
    }
  });

  test('check is 0 when ready, 2 with a problem at its line, 3 when something around it is missing', async () => {
    fill(1);
    repository.git('add', '--all');
    repository.git('commit', '--quiet', '--message=plan');
    expect((await repository.run('check')).stdout).toContain('read as boxes; 1 task, 1 to do');
    const status = async (): Promise<number | null> => (await repository.run('check')).status;
    repository.write('.skeleton.yml', "agent_command: 'cat'\n");
    expect(await status()).toBe(0);
    repository.write('README.md', 'changed\n');
    expect(await status()).toBe(3);
    repository.write('PLAN.md', '- [ ] One {#a}\n- [ ] Two {#a}\n');
    const { status: broken, stdout } = await repository.run('check');
    expect(broken).toBe(2);
    expect(stdout).toMatch(/^PLAN\.md:2/m);
  });
});

describe('standard output', () => {
  test('a reader that goes away does not end the run', async () => {
    const agent = fill(3);
    const line = `"$1" "$2" run --json --agent-command "$3" 2>/dev/null | head -n 1`;
    const args = ['-c', line, 'sh', process.execPath, skeleton, agent];
    const first = execFileSync('sh', args, { cwd: repository.top, encoding: 'utf8' });
    expect(JSON.parse(first)).toMatchObject({ type: 'run.started' });
    expect(repository.git('tag', '--list', 'skeleton/*')).toContain('skeleton/plan/0003-t2');
  });

  test('all of it arrives in a pipe, however long', async () => {
    const boxes = Array.from({ length: 20_000 }, (_, at) => `- [ ] Task number ${at}\n`);
    repository.write('PLAN.md', boxes.join(''));
    repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
    const { stdout } = await repository.run('check', '--json');
    expect((JSON.parse(stdout) as { tasks: unknown[] }).tasks).toHaveLength(20_000);
  });

  test.skipIf(!existsSync('/dev/full'))('a result that cannot be written is no success', () => {
    fill(1);
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [skeleton, 'status', '--json'], {
      cwd: repository.top,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect(status).toBe(4);
    expect(stderr).toContain('standard output cannot be written');
  });
});

describe('signals', () => {
  /** A run whose agent sits there until it is ended; `first` is what its script begins with. */
  async function sitting(first = ''): Promise<{
    readonly signal: (name: NodeJS.Signals) => void;
    readonly ended: Promise<Ended>;
  }> {
    fill(1);
    const ready = join(repository.outside, 'ready');
    const agent = repository.agent(`#!/bin/sh
${first}
cat > /dev/null
echo half > half.txt
touch "$READY"
sleep 60
`);
    const { child, ended } = repository.start(['run', '--json', '--agent-command', agent], {
      READY: ready,
    });
    await appears(ready);
    return { signal: (name) => child.kill(name), ended };
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s ends a run with %d: its work is kept, the tree is clean, the next run goes on',
    async (name, expected) => {
      const run = await sitting();
      run.signal(name);
      const { status, stdout, stderr } = await run.ended;
      expect(status).toBe(expected);
      expect(stdout).toContain(`"status":${expected},`);
      expect(stderr).toContain('attempt 1/5 does not count: interrupted');
      expect(stderr).toContain('next: skeleton run --json --agent-command ');
      expect(repository.git('status', '--porcelain')).toBe('');
      expect(
        repository.git('for-each-ref', '--format=%(refname)', 'refs/skeleton/attempts'),
      ).not.toBe('');
      expect((await repository.run('run', '--agent-command', fill(1))).status).toBe(0);
    },
  );

  test('the second one ends it at once, and the next run tidies up', async () => {
    const run = await sitting("trap '' TERM INT");
    run.signal('SIGINT');
    await sleep(200);
    const asked = performance.now();
    run.signal('SIGTERM');
    const { status, stderr } = await run.ended;
    expect(status).toBe(143);
    expect(performance.now() - asked).toBeLessThan(4500);
    expect(stderr).toContain('ended at once; the next skeleton run tidies up');
    expect(existsSync(join(repository.top, 'half.txt'))).toBe(true);
    expect((await repository.run('run', '--agent-command', fill(1))).status).toBe(0);
    expect(existsSync(join(repository.top, 'half.txt'))).toBe(false);
  });

  test('a hang-up without a terminal is not for us', async () => {
    const run = await sitting();
    run.signal('SIGHUP');
    await sleep(300);
    run.signal('SIGTERM');
    expect((await run.ended).status).toBe(143);
  });
});
