import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { makeJobsLab, type JobsLab } from '../support/jobs-lab.ts';

let lab: JobsLab;
afterEach(() => lab.remove());

async function comes(isThere: () => boolean, what: string): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    if (isThere()) return;
    await sleep(20);
  }
  throw new Error(`${what} never came`);
}

const until = (name: string): string => `until test -e "$OUTSIDE/${name}"; do sleep 0.05; done`;

const go = (): void => {
  writeFileSync(join(lab.outside, 'go'), '');
};

function commit(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) lab.write(path, text);
  lab.git('add', ...Object.keys(files));
  lab.git('commit', '--quiet', '--message=mine');
}

const subjects = (): readonly string[] =>
  lab.git('log', '--reverse', '--first-parent', '--format=%s').split('\n').slice(2);

function expectTidy(): void {
  expect(lab.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(readdirSync(dirname(lab.top)).filter((name) => name.includes('.skeleton-'))).toEqual([]);
  expect(lab.git('status', '--porcelain')).toBe('');
}

test("a person's commit between two turns is kept, the gates judge it with what comes on top, and what clashes is sent back", async () => {
  // Nobody is at work where the run began: `a` is on the branch, `b` and `c` on their way in slots until the person has done.
  const slow = (id: string): string =>
    `touch "$OUTSIDE/${id}"; ${until('go')}; echo ${id} > ${id}.txt`;
  lab = makeJobsLab([
    { id: 'a', edits: `${until('b')}; ${until('c')}; echo a > a.txt` },
    ...['b', 'c'].map((id) => ({ id, edits: slow(id) })),
  ]);
  const run = lab.start(lab.args(3), lab.env);
  await comes(() => lab.git('tag', '--list', '*-a') !== '', 'the first checkpoint');
  // The index follows.
  await comes(() => lab.git('status', '--porcelain') === '', 'a clean work tree');
  await sleep(200);
  commit({ 'mine.txt': 'mine\n', 'c.txt': 'mine\n' });
  go();
  const { status, stderr } = await run.ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(subjects()).toEqual(['Make a', 'mine', 'Make b', 'Make c']);
  const tree = lab.git('rev-parse', 'HEAD~1^{tree}');
  expect(lab.git('ls-tree', '--name-only', tree)).toContain('mine.txt');
  expect(lab.gated()).toContain(`b ${tree} pass ${lab.top}`);
  expect(lab.git('show', 'HEAD~1:c.txt')).toBe('mine');
  expect(lab.git('show', 'HEAD:c.txt')).toBe('c');
  // For free, and `b` not at all.
  const calls = lab.calls().map((line) => line.split(' ').slice(0, 2).join(' '));
  expect(calls.sort()).toEqual(['a 1', 'b 1', 'c 1', 'c 1']);
  expect((await lab.run('verify')).status).toBe(0);
  expectTidy();
});

test('where an agent is at work, a commit is taken for its own, as with one job', async () => {
  lab = makeJobsLab([
    { id: 'a', edits: `touch "$OUTSIDE/a"; ${until('go')}; echo a > a.txt` },
    { id: 'b', edits: 'echo b > b.txt' },
  ]);
  const run = lab.start(lab.args(2), lab.env);
  await comes(() => existsSync(join(lab.outside, 'a')), 'the agent');
  commit({ 'mine.txt': 'mine\n' });
  go();
  const { status, stderr } = await run.ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(lab.git('show', 'HEAD~1:mine.txt')).toBe('mine');
  expect(subjects()).toEqual(['Make a', 'Make b']);
  expectTidy();
});
