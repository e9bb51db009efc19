import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { photograph } from '../support/git-lab.ts';
import { makeUserRepository, startIn } from '../support/user-repository.ts';
import type { Ended, UserRepository } from '../support/user-repository.ts';

/** `run --isolate` and `run --branch`: elsewhere than on the branch that is checked out. */

let repository: UserRepository;
let beside: string;
beforeEach(() => {
  repository = makeUserRepository();
  repository.write('PLAN.md', '- [ ] One {#one}\n- [ ] Two {#two}\n');
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  beside = `${repository.top}.skeleton-plan`;
});
afterEach(() => {
  repository.remove();
});

const agent = '#!/bin/sh\ncat > /dev/null; pwd > "$SKELETON_TASK_ID.txt"\n';
const work = (...options: readonly string[]): Promise<Ended> =>
  repository.run('run', '--agent-command', repository.agent(agent), ...options);
const commitOf = (revision: string): string => repository.git('rev-parse', `${revision}^{commit}`);
const there = (...args: readonly string[]): string => repository.git('-C', beside, ...args);

/** Everything of the user's own: the run's branch and tags are the run's. */
function picture(): Readonly<Record<string, string>> {
  const { refs = '', ...rest } = photograph(repository);
  const theirs = refs.split('\n').filter((ref) => !/^refs\/(?:heads|tags)\/skeleton\//.test(ref));
  return { ...rest, refs: theirs.join('\n') };
}

describe('--isolate', () => {
  test('works beside the repository on a branch of its own; a dirty tree stays as it is', async () => {
    repository.write('README.md', 'work in progress\n');
    repository.write('scratch.txt', 'mine\n');
    repository.git('add', 'README.md');
    const before = picture();
    const end = await work('--isolate', '--limit', '1');
    expect([end.status, end.stderr]).toEqual([0, expect.stringContaining(`in ${beside}`)]);
    expect(end.stderr).toContain('branch skeleton/plan');
    expect(picture()).toEqual(before);
    expect(readFileSync(join(beside, 'one.txt'), 'utf8')).toBe(`${beside}\n`);
    expect(commitOf('skeleton/plan/0001-one')).toBe(commitOf('refs/heads/skeleton/plan'));
    expect(commitOf('refs/heads/skeleton/plan~1')).toBe(commitOf('main'));
    expect(there('status', '--porcelain')).toBe('');
  });

  test('is used again, takes in what was committed since, and is made anew where its folder is gone', async () => {
    repository.write('PLAN.md', `---\nisolate: true\n---\n${plan}`);
    repository.git('commit', '--quiet', '--all', '--message=isolate');
    expect((await work('--limit', '1')).status).toBe(0);
    repository.git('merge', '--quiet', 'refs/heads/skeleton/plan');
    repository.write('mine.txt', 'mine\n');
    repository.git('add', 'mine.txt');
    repository.git('commit', '--quiet', '--message=mine');
    rmSync(beside, { recursive: true });
    expect((await work()).status).toBe(0);
    expect(commitOf('refs/heads/skeleton/plan~1')).toBe(commitOf('main'));
    expect(existsSync(join(beside, 'mine.txt'))).toBe(true);
    expect(existsSync(join(beside, 'two.txt'))).toBe(true);
  });

  test('says what it lacks where both went on', async () => {
    expect((await work('--isolate', '--limit', '1')).status).toBe(0);
    repository.write('mine.txt', 'mine\n');
    repository.git('add', 'mine.txt');
    repository.git('commit', '--quiet', '--message=mine');
    const end = await work('--isolate');
    expect([end.status, end.stderr]).toEqual([
      0,
      expect.stringContaining(`git -C '${beside}' merge`),
    ]);
    expect(existsSync(join(beside, 'mine.txt'))).toBe(false);
  });

  test.each([['PLAN.md'], ['gates/more.sh'], ['.skeleton.yml']])(
    'an uncommitted %s is refused: the run would not see it',
    async (path) => {
      repository.write(path, path === '.skeleton.yml' ? 'attempts: 2\n' : `${plan}\n# more\n`);
      const before = picture();
      const end = await work('--isolate');
      expect([end.status, end.stderr]).toEqual([3, expect.stringContaining(path)]);
      expect(picture()).toEqual(before);
      expect(existsSync(beside)).toBe(false);
    },
  );

  test('a folder in the way is left alone', async () => {
    execFileSync('mkdir', [beside]);
    const end = await work('--isolate');
    expect([end.status, end.stderr]).toEqual([3, expect.stringContaining('is in the way')]);
  });

  test('from a detached HEAD, on a named branch', async () => {
    repository.git('checkout', '--quiet', '--detach');
    const end = await work('--isolate', '--branch', 'night');
    expect(end.status).toBe(0);
    expect(commitOf('night~2')).toBe(commitOf('HEAD'));
  });
});

describe('after kill -9, what is under way in another work tree', () => {
  const slow = (deed: string): string =>
    repository.agent(
      `#!/bin/sh\ncat > /dev/null; ${deed}; echo half > half.txt; touch "${mark()}"; exec sleep 60\n`,
    );
  const mark = (): string => join(repository.outside, 'working');
  const killed = (...options: readonly string[]): Promise<void> => killedAfter('true', ...options);
  async function killedAfter(deed: string, ...options: readonly string[]): Promise<void> {
    const args = ['run', '--agent-command', slow(deed), ...options];
    const { child, ended } = repository.start(args);
    for (let waited = 0; !existsSync(mark()); waited += 50) {
      if (waited > 20_000) throw new Error('the agent did not begin');
      await sleep(50);
    }
    child.kill('SIGKILL');
    await ended;
  }

  test('in place: no isolated run begins, and the next run here mends it', async () => {
    await killed();
    const before = photograph(repository);
    const end = await work('--isolate');
    expect([end.status, end.stderr]).toEqual([3, expect.stringContaining(repository.top)]);
    expect(end.stderr).toContain(`cd '${repository.top.replace("'", String.raw`'\''`)}'`);
    expect(photograph(repository)).toEqual(before);
    expect(existsSync(beside)).toBe(false);
    expect((await work('--limit', '1')).status).toBe(0);
    expect(existsSync(join(repository.top, 'half.txt'))).toBe(false);
  });

  test('beside: neither run, take nor undo begins here', async () => {
    await killed('--isolate');
    const before = photograph(repository);
    for (const args of [[], ['take', 'one'], ['undo']]) {
      const end = args.length === 0 ? await work() : await repository.run(...args);
      expect([end.status, end.stderr]).toEqual([3, expect.stringContaining(beside)]);
      expect(photograph(repository)).toEqual(before);
    }
    expect((await work('--isolate')).status).toBe(0);
  });

  test('beside, on a branch that the agent made: the next run goes on where it was', async () => {
    await killedAfter('git switch --quiet --create elsewhere', '--isolate');
    const end = await work('--isolate');
    expect([end.status, end.stderr]).toEqual([0, expect.stringContaining('2 passed')]);
    expect(there('branch', '--show-current')).toBe('skeleton/plan');
    expect(commitOf('skeleton/plan/0002-two')).toBe(commitOf('refs/heads/skeleton/plan'));
  });

  test('gone: it counts as crashed, for a repository that was moved too', async () => {
    await killed('--isolate');
    rmSync(beside, { recursive: true });
    const end = await work('--limit', '1');
    expect([end.status, end.stderr]).toEqual([0, expect.stringContaining('was not kept')]);
    rmSync(mark());
    await killed();
    const moved = `${repository.top} moved`;
    renameSync(repository.top, moved);
    try {
      const taken = startIn(moved, ['take', 'two'], {});
      expect(await taken.ended).toMatchObject({ status: 0 });
    } finally {
      renameSync(moved, repository.top);
    }
  });
});

const plan = '- [ ] One {#one}\n- [ ] Two {#two}\n';

describe('--branch', () => {
  test('is made at HEAD, a plan that is not committed included, and works from a detached HEAD', async () => {
    repository.git('checkout', '--quiet', '--detach');
    repository.write('PLAN.md', `${plan}\nMore words.\n`);
    const end = await work('--branch', 'night/work');
    expect(end.status).toBe(0);
    expect(repository.git('symbolic-ref', 'HEAD')).toBe('refs/heads/night/work');
    expect(commitOf('HEAD~3')).toBe(commitOf('main'));
  });

  test('is switched to where it is there, by front matter too', async () => {
    repository.git('checkout', '--quiet', '-b', 'night');
    repository.write('night.txt', 'night\n');
    repository.git('add', '--all');
    repository.git('commit', '--quiet', '--message=night');
    repository.git('checkout', '--quiet', 'main');
    repository.write('PLAN.md', `---\nbranch: night\n---\n${plan}`);
    repository.git('commit', '--quiet', '--all', '--message=front matter');
    const main = commitOf('main');
    const end = await work();
    expect(end.status).toBe(0);
    expect(repository.git('symbolic-ref', 'HEAD')).toBe('refs/heads/night');
    expect([commitOf('main'), existsSync(join(repository.top, 'night.txt'))]).toEqual([main, true]);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  test('a run that refuses to start leaves everything as it was', async () => {
    repository.git('branch', 'night', 'HEAD~1');
    for (const name of ['night', 'fresh']) {
      const before = photograph(repository);
      const end = await repository.run(
        'run',
        '--branch',
        name,
        '--agent-command',
        '/no/such/agent',
      );
      expect([2, 3]).toContain(end.status);
      expect(photograph(repository)).toEqual(before);
    }
  });

  test('a dirty tree, and a name that is none, are refused', async () => {
    repository.git('branch', 'night');
    repository.write('README.md', 'work in progress\n');
    const before = photograph(repository);
    const dirty = await work('--branch', 'night');
    expect([dirty.status, dirty.stderr]).toEqual([3, expect.stringContaining('README.md')]);
    expect((await work('--branch', 'a..b')).status).toBe(2);
    expect(photograph(repository)).toEqual(before);
  });
});
