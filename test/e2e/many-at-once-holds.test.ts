import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { makeJobsLab, type JobsLab, type JobsTask } from '../support/jobs-lab.ts';
import { killedIn } from '../support/user-repository.ts';

let lab: JobsLab;
afterEach(() => lab.remove());

const three: readonly JobsTask[] = ['a', 'b', 'c'].map((id) => ({
  id,
  edits: `echo ${id} > ${id}.txt`,
}));

/** Says that it is there, and stays for a while the first time. */
const stay = (name: string): string =>
  `test -e "$OUTSIDE/${name}" || { touch "$OUTSIDE/${name}"; sleep 20; }`;

async function appears(path: string): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    if (existsSync(path)) return;
    await sleep(20);
  }
  throw new Error(`${path} never came`);
}

function expectTidy({ top, git }: JobsLab): void {
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(git('branch', '--list', 'skeleton-slot/*')).toBe('');
  expect(readdirSync(dirname(top)).filter((name) => name.includes('.skeleton-'))).toEqual([]);
  expect(git('status', '--porcelain')).toBe('');
}

const callsOf = (task: string): readonly string[] =>
  lab.calls().filter((line) => line.startsWith(`${task} `));

async function finishes(): Promise<void> {
  const { status, stderr } = await lab.jobs(3);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(lab.git('tag', '--list', 'skeleton/plan/*').split('\n')).toEqual([
    ...['skeleton/plan/0000-start', 'skeleton/plan/0001-a'],
    ...['skeleton/plan/0002-b', 'skeleton/plan/0003-c'],
  ]);
  expect(lab.git('ls-files', '*.txt').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt']);
  expectTidy(lab);
}

async function killWhen(name: string): Promise<void> {
  const run = lab.start(lab.args(3), lab.env);
  await appears(join(lab.outside, name));
  run.child.kill('SIGKILL');
  await run.ended;
}

describe('a run that was killed', () => {
  test('in a slot, at the agent: that attempt is kept and made again', async () => {
    const [a, , c] = three as [JobsTask, JobsTask, JobsTask];
    lab = makeJobsLab([
      a,
      { id: 'b', edits: `echo half > b.txt; ${stay('b-works')}; echo b > b.txt` },
      c,
    ]);
    lab.takes('a', 20);
    const run = lab.start(lab.args(3), lab.env);
    await appears(join(lab.outside, 'b-works'));
    // What passed ahead meanwhile is not lost with it.
    while (!(await passedAhead('c'))) await sleep(50);
    run.child.kill('SIGKILL');
    await run.ended;
    lab.takes('a', 0);
    await finishes();
    expect(lab.git('show', 'refs/skeleton/attempts/plan/b/1:b.txt')).toBe('half');
    expect(callsOf('c')).toHaveLength(1);
    expect(callsOf('b')).toHaveLength(2);
  });

  test('in a slot, at the gates', async () => {
    const files = {
      'gates/wait.sh': `#!/bin/sh\ntest "$SKELETON_TASK_ID" != b || ${stay('b-gated')}\n`,
    };
    lab = makeJobsLab(three, { files });
    lab.takes('a', 20);
    await killWhen('b-gated');
    lab.takes('a', 0);
    await finishes();
  });

  test.each([
    ['at the gates of its turn', undefined],
    ['before the merge', 'before git merge-tree --write-tree'],
    ['after the merge', 'after git merge-tree --write-tree'],
  ])('on the branch, %s: what passed ahead is not made again', async (_, window) => {
    const seen = '"$OUTSIDE/b-once"';
    const atTurn = `if test "$SKELETON_TASK_ID" = b; then if test -e ${seen}; then ${stay('b-turn')}; else touch ${seen}; fi; fi`;
    const files = window === undefined ? { 'gates/wait.sh': `#!/bin/sh\n${atTurn}\n` } : {};
    lab = makeJobsLab(three, { files });
    lab.takes('a', 1.5);
    if (window === undefined) await killWhen('b-turn');
    else {
      const { status } = await lab.start(lab.args(3), { ...lab.env, ...killedIn(window) }).ended;
      expect(status).toBe(null);
    }
    await finishes();
    expect(callsOf('b')).toHaveLength(1);
    expect(callsOf('c')).toHaveLength(1);
    // It has cost nothing.
    const started = (await lab.history()).filter(({ task }) => task === 'b');
    const charged = started.flatMap(({ event }) =>
      event.type === 'attempt.started' ? [event.attempt] : [],
    );
    expect(new Set(charged)).toEqual(new Set([1]));
  });
});

async function passedAhead(task: string): Promise<boolean> {
  const events = (await lab.history()).filter((entry) => entry.task === task);
  return events.some(({ event }) => event.type === 'rollback.done');
}

test.each(['empty', 'locked', 'gone'])('slots that were only half made go: %s', async (how) => {
  lab = makeJobsLab(three);
  const folder = `${lab.top}.skeleton-plan.slot-1`;
  lab.git('worktree', 'add', '--no-checkout', '--quiet', folder, '-b', 'skeleton-slot/plan/1');
  if (how === 'locked') lab.git('worktree', 'lock', folder);
  if (how === 'empty') rmSync(join(folder, '.git'));
  if (how === 'gone') rmSync(folder, { recursive: true });
  await finishes();
});

test('an interruption ends all slots, charges nothing, and each task that was begun has one end', async () => {
  lab = makeJobsLab(
    three.map((task) => ({ ...task, edits: `${stay(`${task.id}-works`)}; ${task.edits}` })),
  );
  const run = lab.start(lab.args(3), lab.env);
  for (const { id } of three) await appears(join(lab.outside, `${id}-works`));
  run.child.kill('SIGINT');
  const { status, stderr } = await run.ended;
  expect({ status, stderr }).toMatchObject({ status: 130 });
  expectTidy(lab);
  const events = await lab.history();
  const of = (type: string): readonly string[] =>
    events.flatMap(({ task, event }) => (event.type === type ? [task] : [])).sort();
  expect(of('task.finished')).toEqual(['a', 'b', 'c']);
  expect(of('attempt.voided')).toEqual(['a', 'b', 'c']);
  expect(of('attempt.rejected')).toEqual([]);
  await finishes();
});

test('what an agent does in one slot to refs and settings hurts nobody beside it', async () => {
  const misdeeds = [
    'echo b > b.txt',
    'git tag skeleton/plan/0009-x HEAD',
    'git config user.name Mallory; git config alias.st status',
    'git tag mine HEAD; git branch theirs HEAD',
    'for ref in $(git for-each-ref --format="%(refname)" refs/skeleton/attempts); do git update-ref -d $ref; done',
    'git update-ref refs/heads/skeleton-slot/plan/2 $(git commit-tree -m forged HEAD^{tree})',
    'mkdir -p "$(git rev-parse --git-common-dir)/hooks"; echo "exit 1" > "$(git rev-parse --git-common-dir)/hooks/post-commit"',
    'touch "$OUTSIDE/done-b"',
  ].join('\n');
  const waits = 'until test -e "$OUTSIDE/done-b"; do sleep 0.1; done';
  const bad = `echo x > BAD-d`;
  lab = makeJobsLab([
    { id: 'a', edits: `${waits}; sleep 1; echo a > a.txt` },
    { id: 'b', edits: misdeeds },
    { id: 'c', edits: `${waits}; echo c > c.txt` },
    { id: 'd', edits: 'echo d > d.txt', early: [bad] },
  ]);
  lab.takes('b', 1.5);
  const config = readFileSync(join(lab.top, '.git/config'), 'utf8');
  const { status, stderr } = await lab.jobs(4);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(readFileSync(join(lab.top, '.git/config'), 'utf8')).toBe(config);
  expect(existsSync(join(lab.top, '.git/hooks/post-commit'))).toBe(false);
  const refs = lab.git('for-each-ref', '--format=%(refname)').split('\n');
  expect(refs.filter((ref) => /refs\/(?:heads|tags)\//.test(ref))).toEqual([
    'refs/heads/main',
    ...['0000-start', '0001-a', '0002-b', '0003-c', '0004-d'].map(
      (name) => `refs/tags/skeleton/plan/${name}`,
    ),
  ]);
  for (const { event } of await lab.history())
    if (event.type === 'rollback.done')
      expect(lab.git('for-each-ref', '--format=%(objectname)', event.snapshot.ref), stderr).toBe(
        event.snapshot.commit,
      );
  expect((await lab.run('verify')).status).toBe(0);
  expectTidy(lab);
});

describe('where slots cannot be made, with 3 and nothing touched', () => {
  async function expectRefused(words: RegExp, env: NodeJS.ProcessEnv = {}): Promise<void> {
    const before = lab.git('for-each-ref');
    const { status, stderr } = await lab.start(lab.args(3), { ...lab.env, ...env }).ended;
    expect({ status, stderr }).toMatchObject({ status: 3 });
    expect(stderr).toMatch(words);
    expect(lab.git('for-each-ref')).toBe(before);
    expect(lab.calls()).toEqual([]);
  }

  test('a folder in the way', async () => {
    lab = makeJobsLab(three);
    const folder = `${lab.top}.skeleton-plan.slot-2`;
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine'), 'mine');
    await expectRefused(/slot-2 is in the way/);
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
  });

  test('a worktree of that name which a person made', async () => {
    lab = makeJobsLab(three);
    const folder = `${lab.top}.skeleton-plan.slot-1`;
    lab.git('worktree', 'add', '--quiet', folder, '-b', 'mine');
    writeFileSync(join(folder, 'mine'), 'mine');
    await expectRefused(/slot-1 is in the way/);
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
  });

  test('a git before 2.38', async () => {
    lab = makeJobsLab(three);
    const real = (process.env['PATH'] ?? '')
      .split(delimiter)
      .map((path) => join(path, 'git'))
      .find((path) => existsSync(path));
    const old = join(lab.outside, 'old');
    mkdirSync(old);
    const fake = `#!/bin/sh\nfor word in "$@"; do case $word in version|--version) echo "git version 2.37.1"; exit 0;; esac; done\nexec '${real}' "$@"\n`;
    writeFileSync(join(old, 'git'), fake, { mode: 0o755 });
    const PATH = [old, process.env['PATH']].join(delimiter);
    await expectRefused(/git 2\.37 is too old for --jobs: 2\.38/, { PATH });
    expect((await lab.start(lab.args(1), { ...lab.env, PATH }).ended).status).toBe(0);
  });
});

test('a file that a person edits where the run works is not overwritten', async () => {
  const [a, b, c] = three as [JobsTask, JobsTask, JobsTask];
  const files = { 'shared.txt': 'before\n' };
  // Only the slots are at work then: a is done, and b is on its way.
  const work = { ...b, edits: `${stay('b-works').replace('20', '3')}; echo by-b > shared.txt` };
  lab = makeJobsLab([a, work, { ...c, needs: ['b'] }], { files });
  lab.takes('a', 0.2);
  const run = lab.start(lab.args(3), lab.env);
  await appears(join(lab.outside, 'b-works'));
  while (lab.git('tag', '--list', '*-a') === '') await sleep(50);
  await sleep(500);
  lab.write('shared.txt', 'mine\n');
  const { status, stderr } = await run.ended;
  expect({ status, stderr }).toMatchObject({ status: 4 });
  expect(readFileSync(join(lab.top, 'shared.txt'), 'utf8')).toBe('mine\n');
  expect(callsOf('b')).toHaveLength(1);
  lab.git('checkout', '--', 'shared.txt');
  expect((await lab.jobs(3)).status).toBe(0);
  expect(callsOf('b')).toHaveLength(1);
  expectTidy(lab);
});

test('each work tree has its own temporary folder and number, and what is set up or shared is so in each', async () => {
  const tell = 'echo "$SKELETON_SLOT $TMPDIR" > $SKELETON_TASK_ID.txt; sleep 1';
  lab = makeJobsLab(
    three.map(({ id }) => ({
      id,
      edits: `test -e made/ready && test -e kept/deep/file && ${tell}`,
    })),
    {
      front: '---\nsetup: mkdir -p made && echo yes > made/ready\nshare: [kept, nowhere]\n---\n',
      files: { '.gitignore': 'made/\nkept/\n' },
    },
  );
  mkdirSync(join(lab.top, 'made'));
  lab.write('made/ready', 'yes');
  lab.write('kept/deep/file', 'yes');
  const { status, stderr } = await lab.jobs(3);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const told = three.map(({ id }) => lab.git('show', `HEAD:${id}.txt`));
  expect(new Set(told.map((line) => line[0]))).toEqual(new Set(['0', '1', '2']));
  expect(new Set(told.map((line) => line.slice(2))).size).toBe(3);
  expectTidy(lab);
});
