import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { gc as gcCommand } from '../../cli/commands/gc.ts';
import { doctor } from '../../src/app/doctor.ts';
import { gc } from '../../src/app/gc.ts';
import type { GcResult } from '../../src/app/gc-options.ts';
import { openLocks } from '../../src/ledger/locks.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { fakeIo } from '../support/fake-io.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

/** `skeleton gc` and `skeleton doctor`, in a repository where task one passed at its second attempt and task two failed twice. */

let repository: UserRepository;
/** Of all there is after that run: made once, and laid at the same place for each test. */
let master: string;
beforeAll(async () => {
  repository = makeUserRepository();
  repository.write('PLAN.md', '- [ ] One {#one}\n- [ ] Two {#two}\n');
  repository.write('gates/check.sh', '#!/bin/sh\ntest "$(cat state)" != bad\n');
  repository.write('state', 'fine\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  expect((await work()).status).toBe(1);
  master = join(repository.outside, 'master');
  execFileSync('cp', ['-a', repository.top, master]);
});
afterEach(() => {
  for (const folder of [repository.top, `${repository.top}.skeleton-plan`])
    execFileSync('rm', ['-rf', folder]);
  execFileSync('cp', ['-a', master, repository.top]);
});
afterAll(() => {
  repository.remove();
});

function work(...options: readonly string[]): ReturnType<UserRepository['run']> {
  const script = `#!/bin/sh
cat > /dev/null; echo "$$" > "$SKELETON_TASK_ID.txt"
case "$SKELETON_TASK_ID $SKELETON_ATTEMPT" in 'one 2') echo fine > state ;; *) echo bad > state ;; esac
`;
  return repository.run(
    'run',
    '--attempts',
    '2',
    '--agent-command',
    repository.agent(script),
    ...options,
  );
}

const state = (path = ''): string => join(repository.top, '.git/skeleton', path);
const refs = (): readonly string[] =>
  repository.git('for-each-ref', '--format=%(refname)', 'refs/skeleton').split('\n');
const monthLater = (): string => new Date(Date.now() + 31 * 24 * 3_600_000).toISOString();
const names = ({ things }: GcResult): readonly string[] => things.map(({ name }) => name).sort();
const theLog = (): string => `logs/${readdirSync(state('logs'))[0] ?? ''}`;

function gcLater(more: Partial<Parameters<typeof gc>[0]> = {}): Promise<GcResult> {
  const { top: cwd } = repository;
  const confirm = (): Promise<boolean> => Promise.resolve(true);
  return gc({
    cwd,
    env: process.env,
    all: false,
    dryRun: false,
    confirm,
    now: monthLater(),
    ...more,
  });
}

/** What makes the run above none of the last twenty. */
async function addRuns(count: number): Promise<void> {
  const ledger = await openSqliteLedger(state('ledger.db'));
  const seq = (await ledger.taskHistory('plan', '')).at(-1)?.seq ?? 0;
  for (let i = 0; i < count; i += 1) {
    const options = { plan: 'PLAN.md', base: 'b', branch: 'main', start: '', options: {} };
    const event = { type: 'run.started', schema: 1, ...options } as const;
    await ledger.append({ run: `later-${i}`, plan: 'plan', task: '', event }, seq + i);
  }
  await ledger.close();
}

/** Everything below .git: names, times, bytes. A ledger that this very process had open may be tidied up at any time. */
function photographGit(): readonly string[] {
  const script =
    'find .git -printf "%p %y %T@\\n" | sort; find .git -type f -exec sha1sum {} + | sort';
  const said = execFileSync('sh', ['-c', script], { cwd: repository.top, encoding: 'utf8' });
  const ofLedger = /\.git\/skeleton(?: d |\/ledger\.db(?: f |-))/;
  return said.split('\n').filter((line) => !ofLedger.test(line));
}

describe('what old runs left', () => {
  let old: readonly string[];
  beforeEach(async () => {
    await addRuns(20);
    repository.git('update-ref', 'refs/skeleton/undo/plan/1', 'HEAD');
    repository.git('update-ref', 'refs/skeleton/autostash/plan/1', 'HEAD');
    writeFileSync(state('ledger.db.damaged-1'), 'x'.repeat(1000));
    for (const task of ['one', 'two', '+autostash']) {
      mkdirSync(state(`quarantine/plan/${task}/1/raw`), { recursive: true });
      writeFileSync(state(`quarantine/plan/${task}/1/raw/f`), 'bytes');
    }
    const trees = readdirSync(state('worktrees')).map((id) => `worktrees/${id}`);
    old = [
      ...['refs/skeleton/attempts/plan/one/1', 'refs/skeleton/undo/plan/1', 'ledger.db.damaged-1'],
      ...['quarantine/plan/one/1', theLog(), ...trees],
    ].sort();
  });

  test('--dry-run lists it and touches nothing', async () => {
    const before = photographGit();
    expect(names(await gcLater({ dryRun: true }))).toEqual(old);
    const young = await repository.run('gc', '--dry-run');
    expect([young.status, young.stdout]).toEqual([0, 'nothing to take\n']);
    expect((await repository.run('gc', '--all', '--dry-run', '--json')).status).toBe(0);
    expect(photographGit()).toEqual(before);
  });

  test('goes and is told by name, age and size; the rest stays and still works', async () => {
    const history = (await repository.run('log', '--json')).stdout.split('\n').length;
    const done = await gcLater();
    expect([names(done), done.failures, done.notices]).toEqual([old, [], []]);
    expect(done.things.every(({ bytes }) => bytes !== undefined)).toBe(true);
    expect(refs()).toEqual([
      ...['refs/skeleton/attempts/plan/two/1', 'refs/skeleton/attempts/plan/two/2'],
      ...['refs/skeleton/autostash/plan/1', 'refs/skeleton/proof/plan/0001'],
    ]);
    expect(readdirSync(state('quarantine/plan')).sort()).toEqual(['+autostash', 'two']);
    expect(names(await gcLater())).toEqual([]);
    repository.git('gc', '--quiet', '--prune=now');
    const gone = await repository.run('show', 'one#1');
    expect([gone.status, gone.stderr]).toEqual([0, '']);
    expect(gone.stdout).toMatch(/kept as +pruned by gc/);
    expect(gone.stdout).toMatch(/── diff\n\(pruned by gc\)/);
    const log = await repository.run('log');
    expect(log.stdout).toMatch(/one#1 .* pruned by gc/);
    expect((await repository.run('log', '--json')).stdout.split('\n')).toHaveLength(history);
    const lost = await repository.run('restore', 'one#1');
    expect([lost.status, lost.stderr]).toEqual([3, expect.stringContaining('pruned by gc')]);
    repository.git('update-ref', '-d', 'refs/skeleton/autostash/plan/1');
    expect((await repository.run('restore', 'two#2')).status).toBe(0);
    expect(repository.git('show', 'skeleton-restore/plan/two/2:state')).toBe('bad');
    expect((await work()).status).toBe(1);
    expect(refs()).toContain('refs/skeleton/attempts/plan/two/4');
  });

  test('a plan that another process works on keeps everything of its own', async () => {
    const lock = (await openLocks(state('locks'))).acquire('plan-plan', 'a test');
    const done = await gcLater();
    if ('release' in lock) lock.release();
    expect(done.notices).toEqual([expect.stringContaining('at work on plan')]);
    expect(refs()).toContain('refs/skeleton/attempts/plan/one/1');
    expect(names(done)).not.toContain(theLog());
    expect(names(done)).toContain('ledger.db.damaged-1');
  });

  test('a run in this work tree is 3, and nothing is touched', async () => {
    const [id = ''] = readdirSync(state('worktrees'));
    const lock = (await openLocks(state('locks'))).acquire(`worktree-${id}`, 'a test');
    await expect(gcLater()).rejects.toMatchObject({ status: 3 });
    if ('release' in lock) lock.release();
    expect(refs()).toContain('refs/skeleton/attempts/plan/one/1');
  });

  test('a plan that cannot be read keeps its attempts', async () => {
    repository.write('PLAN.md', '- [x] One {#one}\n- [ ] One again {#one}\n');
    repository.git('commit', '--quiet', '--all', '--message=broken');
    expect(names(await gcLater())).not.toContain('refs/skeleton/attempts/plan/one/1');
  });

  test('after kill -9 in the middle nothing is half there, and the next gc finishes', async () => {
    const [run = ''] = readdirSync(state('logs'));
    const folder = state(`logs/${run}/many`);
    mkdirSync(folder);
    for (let i = 0; i < 2000; i += 1) writeFileSync(join(folder, `${i}`), 'x');
    const module = pathToFileURL(join(process.cwd(), 'dist/src/app/gc.js')).href;
    const options = { cwd: repository.top, all: false, dryRun: false, now: monthLater() };
    const script = `const { gc } = await import('${module}'); await gc({ ...${JSON.stringify(options)}, env: process.env })`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    while (existsSync(folder) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(state(`logs/${run}`))).toBe(false);
    expect(refs()).not.toContain('refs/skeleton/attempts/plan/one/1');
    expect((await repository.run('show', 'one#1')).status).toBe(0);
    await gcLater();
    expect(existsSync(state('trash'))).toBe(false);
    expect(names(await gcLater())).toEqual([]);
    expect(repository.git('fsck', '--no-dangling')).toBe('');
  });
});

test('nothing of the last twenty runs goes, however old it is', async () => {
  await addRuns(19);
  const left = names(await gcLater());
  expect(left.filter((name) => !name.startsWith('worktrees/'))).toEqual([]);
});

describe('gc --all', () => {
  const all = (answer?: string): [ReturnType<typeof fakeIo>, Promise<number>] => {
    const io = fakeIo({ env: process.env, ...(answer !== undefined && { answer }) });
    const command = { cwd: repository.top, json: false, all: true, dryRun: false, yes: false };
    return [io, gcCommand(command, io)];
  };

  test('takes nothing where nobody can be asked, or the answer is no', async () => {
    const before = photographGit();
    const { status, stderr } = await repository.run('gc', '--all');
    expect([status, stderr]).toEqual([2, expect.stringContaining('skeleton gc --all --yes')]);
    const [io, end] = all('n');
    expect([await end, io.stderr()]).toEqual([0, expect.stringContaining('nothing was touched')]);
    expect(photographGit()).toEqual(before);
  });

  test('takes all refs and the state folder; tags, branches and files stay', async () => {
    const tree = repository.git('status', '--porcelain');
    const [io, end] = all('yes');
    expect(await end).toBe(0);
    expect(io.stdout()).toContain('refs/skeleton/attempts/plan/two/2');
    expect(io.stdout()).toContain('ledger.db');
    expect(io.stdout()).toMatch(/\d+ things gone: [\d.]+ KiB freed/);
    expect(refs()).toEqual(['']);
    expect(
      readdirSync(join(repository.top, '.git')).filter((name) => name.includes('skel')),
    ).toEqual([]);
    expect(repository.git('tag', '--list')).toBe(
      'skeleton/plan/0000-start\nskeleton/plan/0001-one',
    );
    expect(repository.git('status', '--porcelain')).toBe(tree);
    expect((await repository.run('gc', '--all', '--yes')).stdout).toBe('nothing to take\n');
  });

  test('refuses where work of the user is set aside', async () => {
    repository.git('update-ref', 'refs/skeleton/autostash/plan/1', 'HEAD');
    const before = photographGit();
    const { status, stderr } = await repository.run('gc', '--all', '--yes');
    expect([status, stderr]).toEqual([3, expect.stringContaining('git stash apply')]);
    expect(photographGit()).toEqual(before);
  });

  test('refuses while a run goes, and after it died in an attempt', async () => {
    const on = join(repository.outside, 'on');
    const agent = repository.agent(
      `#!/bin/sh\ncat > /dev/null; echo > '${on.replaceAll("'", `'\\''`)}'; exec sleep 30\n`,
    );
    const { child, ended } = repository.start(['run', '--agent-command', agent]);
    while (!existsSync(on)) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const args of [['gc'], ['gc', '--all', '--yes']])
      expect((await repository.run(...args)).status).toBe(3);
    child.kill('SIGKILL');
    await ended;
    const { status, stderr } = await repository.run('gc', '--all', '--yes');
    expect([status, stderr]).toEqual([3, expect.stringContaining('under way')]);
    expect(refs()).toContain('refs/skeleton/attempts/plan/two/2');
  });

  test('takes a clean worktree of isolated runs, and leaves one that holds files', async () => {
    await work('--isolate');
    const beside = `${repository.top}.skeleton-plan`;
    writeFileSync(join(beside, 'mine.txt'), 'mine\n');
    const kept = await repository.run('gc', '--all', '--dry-run');
    expect(kept.stderr).toContain('git worktree remove --force');
    execFileSync('rm', [join(beside, 'mine.txt')]);
    const { status, stdout } = await repository.run('gc', '--all', '--yes');
    expect([status, stdout]).toEqual([0, expect.stringContaining('clean worktree')]);
    expect(existsSync(beside)).toBe(false);
    expect(repository.git('branch', '--list', 'skeleton/plan')).toContain('skeleton/plan');
  });
});

describe('doctor', () => {
  test('says what is there, weighs it, and touches nothing', async () => {
    const before = photographGit();
    const { status, stdout } = await repository.run('doctor');
    expect(status).toBe(0);
    expect(stdout).toMatch(/ok {7}git \d+\.\d+/);
    expect(stdout).toMatch(/refs: 3 snapshot, 1 proof; objects that only they hold: [\d.]+ K?i?B/);
    expect(stdout).toContain('nothing damaged, nothing left behind');
    expect(photographGit()).toEqual(before);
  });

  test('tells old and stale things, also as data', async () => {
    await addRuns(20);
    repository.git('update-ref', 'refs/skeleton/anchor/000000000000', 'HEAD');
    writeFileSync(state('ledger.db.damaged-1'), '');
    repository.git('worktree', 'add', '--quiet', '--detach', '../gone');
    execFileSync('rm', ['-r', join(repository.top, '../gone')]);
    const { stdout } = await repository.run('doctor', '--json');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly text: string });
    const said = lines.map(({ text }) => text).join('\n');
    expect(said).toContain('refs/skeleton/anchor/000000000000 holds all refs');
    expect(said).toContain('ledger.db.damaged-1 was damaged');
    expect(said).toContain('git worktree prune');
    const later = await doctor({ cwd: repository.top, env: process.env, now: monthLater() });
    const old = later.find(({ title }) => title === 'old');
    expect(old?.lines[0]?.text).toMatch(
      /^\d+ old things, \d+ of them refs: skeleton gc frees [\d.]+ /,
    );
  });

  test('works outside a repository, and says so', async () => {
    const nowhere = makeUserRepository('none');
    const { status, stdout } = await nowhere.run('doctor');
    nowhere.remove();
    expect([status, stdout]).toEqual([0, expect.stringContaining('is in no git work tree')]);
  });
});
