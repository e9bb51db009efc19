import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { makeJobsLab, type JobsLab } from '../support/jobs-lab.ts';

let lab: JobsLab;
afterEach(() => lab.remove());

function expectTidy(): void {
  expect(lab.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(lab.git('branch', '--list', 'skeleton-slot/*')).toBe('');
  expect(lab.git('for-each-ref', 'refs/skeleton/anchor')).toBe('');
  expect(readdirSync(dirname(lab.top)).filter((name) => name.includes('.skeleton-'))).toEqual([]);
  expect(lab.git('status', '--porcelain')).toBe('');
}

const callsOf = (task: string): readonly string[] =>
  lab.calls().filter((line) => line.startsWith(`${task} `));

test('an ignored folder of the user stays where it is when work ahead would write there', async () => {
  lab = makeJobsLab(
    [
      { id: 'a', edits: 'sleep 1; echo a > a.txt' },
      { id: 'b', edits: 'test -e made || echo tracked > made; echo b > b.txt' },
    ],
    { files: { '.gitignore': 'made/\n' } },
  );
  lab.write('made/x', 'mine');
  const { status, stderr } = await lab.jobs(2);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain('sent back');
  expect(callsOf('b')).toHaveLength(2);
  expect(readFileSync(join(lab.top, 'made/x'), 'utf8')).toBe('mine');
  expect(lab.git('ls-files', '*.txt', 'made').split('\n')).toEqual(['a.txt', 'b.txt']);
  expectTidy();
});

test.each([
  ['with rm', 'rm -rf "$slot"'],
  ['by git', 'git worktree remove --force "$slot"'],
  ['and puts something in its place', 'rm -rf "$slot"; mkdir "$slot"; echo x > "$slot/x"'],
])('an agent that takes the other slots away, %s, costs them nothing', async (_, away) => {
  const others = `for slot in ../*.slot-*; do test "$(basename "$slot")" = "$(basename "$PWD")" || { ${away}; }; done`;
  lab = makeJobsLab([
    { id: 'a', edits: 'sleep 4; echo a > a.txt' },
    { id: 'b', edits: 'echo b > b.txt; touch "$OUTSIDE/b-works"; sleep 2' },
    {
      id: 'c',
      edits: `until test -e "$OUTSIDE/b-works"; do sleep 0.05; done; ${others}; echo c > c.txt`,
    },
    { id: 'd', edits: 'echo d > d.txt' },
  ]);
  const { status, stderr } = await lab.jobs(3);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain('begins anew at its turn');
  expect(lab.git('ls-files', '*.txt').split('\n')).toEqual([
    ...['a.txt', 'b.txt', 'c.txt', 'd.txt'],
  ]);
  expect(callsOf('b').map((line) => line.split(' ')[1])).toEqual(['1', '1']);
  expectTidy();
  expect((await lab.run('verify')).status).toBe(0);
});

test("branches of another plan's slots are no matter of a run, and its own that are left go", async () => {
  lab = makeJobsLab([
    { id: 'a', edits: 'until test -e "$OUTSIDE/go"; do sleep 0.05; done; echo a > a.txt' },
  ]);
  lab.git('branch', 'skeleton-slot/plan/7');
  lab.git('branch', 'skeleton-slot/other/1');
  const run = lab.start(lab.args(1), lab.env);
  while (lab.calls().length === 0) await sleep(20);
  lab.git('branch', '-D', 'skeleton-slot/other/1');
  lab.git('branch', 'skeleton-slot/other/2');
  lab.git('branch', 'skeleton-slot/third/1');
  writeFileSync(join(lab.outside, 'go'), '');
  const { status, stderr } = await run.ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).not.toContain('put back');
  const branches = lab.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/skeleton-slot');
  expect(branches.split('\n')).toEqual(['skeleton-slot/other/2', 'skeleton-slot/third/1']);
});

test('a folder that a killed run left for a slot goes with the next run, whatever its jobs', async () => {
  lab = makeJobsLab(['a', 'b'].map((id) => ({ id, edits: `sleep 3; echo ${id} > ${id}.txt` })));
  const room = join(lab.outside, 'tmp');
  mkdirSync(room);
  const left = (): readonly string[] =>
    readdirSync(room).filter((name) => name.startsWith('skeleton-slot-'));
  const env = { ...lab.env, TMPDIR: room };
  const run = lab.start(lab.args(2), env);
  while (lab.calls().length < 2) await sleep(20);
  run.child.kill('SIGKILL');
  await run.ended;
  expect(left()).toHaveLength(1);
  const { status, stderr } = await lab.start(lab.args(1), env).ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(left()).toEqual([]);
  expect(existsSync(join(lab.top, 'b.txt'))).toBe(true);
  expectTidy();
});
